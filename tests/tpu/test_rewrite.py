"""tf.tpu.rewrite: one computation on one core."""

import tpuref as tf


def test_every_operation_runs_with_any_output(evaluate):
    v = tf.Variable(0.0)

    def computation(x):
        v.assign_add(1.0)
        return x, x + 1

    first, second = tf.tpu.rewrite(computation, [1.0])
    assert evaluate(first) == 1.0
    assert evaluate(v) == 1.0
    assert evaluate([first, second]) == [1.0, 2.0]
    assert evaluate(v) == 2.0  # once for both outputs


def test_eager_mode():
    with tf.eager_execution():
        (value,) = tf.tpu.rewrite(lambda x: x * x, [3.0])
        assert value.numpy() == 9.0
        assert tf.tpu.rewrite(lambda: None) is None
