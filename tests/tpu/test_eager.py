"""The tf.tpu functions in eager mode: computations run as a whole, at once."""

import pytest

import tpuref as tf

pytestmark = pytest.mark.usefixtures("eager")


def test_the_computation_is_still_built_with_symbolic_tensors():
    seen = []

    def computation(x):
        seen.append((type(x), tf.executing_eagerly()))
        return x

    tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert seen == [(tf.Tensor, False)]


def test_results_are_inputs_of_what_follows():
    (a,), (b,) = tf.tpu.replicate(lambda x: x * 2, [[1.0], [2.0]])
    assert float(a + b) == 6.0
    (total,) = tf.tpu.shard(tf.reduce_sum, [tf.stack([a, b])], 2)
    assert total.numpy().tolist() == [2.0, 4.0]
    (product,) = tf.tpu.rewrite(lambda x, y: x * y, [a, b])
    assert float(product) == 8.0


def test_variables_are_read_and_assigned():
    v = tf.Variable([1.0, 2.0])

    def computation(x):
        v.assign_add([x, x])
        return v.read_value()

    outputs = tf.tpu.replicate(computation, [[10.0], [20.0]])
    assert [out[0].numpy().tolist() for out in outputs] == [[11.0, 12.0], [21.0, 22.0]]
    assert v.numpy().tolist() == [11.0, 12.0]


def test_each_call_is_a_run_of_its_own():
    v = tf.Variable(0.0)
    for expected in (1.0, 2.0, 3.0):
        assert tf.tpu.rewrite(lambda: v.assign_add(1.0).op) is None
        assert v.numpy() == expected


def test_errors_of_the_run_come_at_once():
    with pytest.raises(tf.errors.InvalidArgumentError, match="replica 1"):
        tf.tpu.replicate(lambda x: tf.gather([1.0], x), [[0], [7]])
    invalid = pytest.raises(tf.errors.InvalidArgumentError, match="3 replicas.*4 cores")
    with tf.config.override(cores=4), invalid:
        tf.tpu.replicate(lambda x: x, [[1]] * 3)


def test_an_error_leaves_eager_mode_on():
    def fail():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.tpu.replicate(fail)
    assert tf.executing_eagerly()
    assert float(tf.constant(1.0) + 1.0) == 2.0
