"""Moving averages, against figures of TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf

from .steps import after

MEASURED = {
    "plain": [2.0999999, 0.30000007, 2.29, 0.67000014, 2.5610001, 1.1030002, 2.9049001,
        1.5927002, 3.3144102, 2.1334305, 3.7829692, 2.7200875],
    "updates": [2.9000001, 2.6999998, 3.8, 3.7636364, 4.6999998, 4.6909089, 5.5999999,
        5.5972028, 6.5, 6.499001, 7.4000001, 7.3996005],
    "debiased": [2.0999999, 3, 2.29, 3.5263155, 2.5610001, 4.0701098, 2.9049001,
        4.6312876, 3.3144102, 5.2097144, 3.7829692, 5.8052177],
}  # fmt: skip
"""What 1.15.5 computed: the averages of w and of y, after each of six updates."""


@pytest.mark.parametrize("kind", MEASURED)
def test_it_is_what_tensorflow_computes(kind, evaluate):
    updates = tf.placeholder(tf.int32, [])
    averages = {
        "plain": tf.train.ExponentialMovingAverage(0.9),
        "updates": tf.train.ExponentialMovingAverage(0.9, num_updates=updates),
        "debiased": tf.train.ExponentialMovingAverage(0.9, zero_debias=True),
    }[kind]
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", initializer=2.0)
    y = tf.identity(x, name="y")
    averaged, given = averages.apply([w, y]), w.assign(x)
    found = []
    for k in range(6):
        feed = {x: 3.0 + k, updates: k}
        evaluate(given, feed)
        evaluate(averaged, feed)
        found += evaluate([averages.average(w), averages.average(y)])
    np.testing.assert_allclose(found, MEASURED[kind], rtol=1e-6)


def test_an_average_starts_with_the_value_of_its_variable(evaluate):
    """Whether that is its initial value, or what it was assigned meanwhile."""
    w = tf.get_variable("w", initializer=tf.random_uniform([3]))
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([w])
    average = averages.average(w)
    first = evaluate([w, average])
    evaluate(w.assign([1.0, 2.0, 3.0]))
    evaluate(average.initializer)
    assert evaluate(average).tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(*first)


def test_names_to_restore_from():
    w = tf.get_variable("layer/w", [])
    b = tf.get_variable("b", [], trainable=False)
    averages = tf.train.ExponentialMovingAverage(0.5)
    before = averages.average_name(w)
    averages.apply([w])
    shadow = averages.average(w)
    assert averages.average_name(w) == before == "layer/w/ExponentialMovingAverage"
    assert averages.average(b) is None
    assert not shadow.trainable
    assert tf.get_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES) == [w]
    assert averages.variables_to_restore() == {
        "layer/w/ExponentialMovingAverage": w,
        "b": b,
    }


def test_integers_have_no_average():
    counter = tf.get_variable("counter", initializer=1)
    with pytest.raises(TypeError, match="floating-point"):
        tf.train.ExponentialMovingAverage(0.5).apply([counter])


def test_replicas_average_what_replica_0_computes():
    def step(x):
        w = tf.get_variable("w", initializer=1.0)
        descent = tf.train.GradientDescentOptimizer(1.0)
        train_op = tf.tpu.CrossShardOptimizer(descent).minimize(w * x)
        with tf.control_dependencies([train_op]):
            return tf.train.ExponentialMovingAverage(0.5).apply()

    with tf.config.override(cores=2):
        done = tf.tpu.replicate(step, [[1.0], [3.0]])
        w, average = after(done, tf.global_variables())
    assert (w, average) == (-1.0, 0.0)
