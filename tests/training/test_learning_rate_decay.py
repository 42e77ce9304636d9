"""Decays of learning rates, against figures of TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf

STEPS = [0, 1, 3, 7, 10, 15, 20, 25, 33, 60]

DECAYS = {
    "exponential_decay": lambda k: tf.train.exponential_decay(0.1, k, 10, 0.96),
    "exponential_decay staircase": lambda k:
        tf.train.exponential_decay(0.1, k, 10, 0.96, staircase=True),
    "inverse_time_decay": lambda k: tf.train.inverse_time_decay(0.1, k, 10, 0.5),
    "inverse_time_decay staircase": lambda k:
        tf.train.inverse_time_decay(0.1, k, 10, 0.5, staircase=True),
    "polynomial_decay": lambda k: tf.train.polynomial_decay(0.1, k, 20, 0.01, 0.5),
    "polynomial_decay cycle": lambda k:
        tf.train.polynomial_decay(0.1, k, 10, 0.01, 2.0, cycle=True),
    "piecewise_constant": lambda k:
        tf.train.piecewise_constant(k, [7, 15], [0.1, 0.05, 0.01]),
    "cosine_decay": lambda k: tf.train.cosine_decay(0.1, k, 20, 0.1),
}  # fmt: skip

MEASURED = {
    "exponential_decay": [0.1, 0.099592619, 0.098782808, 0.0971829, 0.096000001,
        0.094060406, 0.092160001, 0.09029799, 0.087396704, 0.07827577],
    "exponential_decay staircase":
        [0.1, 0.1, 0.1, 0.1, 0.096000001, 0.096000001, 0.092160001, 0.092160001,
        0.088473596, 0.07827577],
    "inverse_time_decay": [0.1, 0.095238104, 0.086956523, 0.074074075, 0.06666667,
        0.057142857, 0.050000001, 0.044444446, 0.03773585, 0.025],
    "inverse_time_decay staircase":
        [0.1, 0.1, 0.1, 0.1, 0.06666667, 0.06666667, 0.050000001, 0.050000001,
        0.039999999, 0.025],
    "polynomial_decay": [0.1, 0.097721152, 0.0929759, 0.082560323, 0.073639609, 0.055,
        0.0099999998, 0.0099999998, 0.0099999998, 0.0099999998],
    "polynomial_decay cycle": [0.1, 0.082899995, 0.054099999, 0.018100001, 0.0099999998,
        0.015625, 0.0099999998, 0.0125, 0.012756251, 0.0099999998],
    "piecewise_constant": [0.1, 0.1, 0.1, 0.1, 0.050000001, 0.050000001, 0.0099999998,
        0.0099999998, 0.0099999998, 0.0099999998],
    "cosine_decay": [0.1, 0.099445976, 0.095095292, 0.075429574, 0.054999996,
        0.023180196, 0.010000001, 0.010000001, 0.010000001, 0.010000001],
}  # fmt: skip
"""What TensorFlow 1.15.5 computed on a CPU at each of the steps, in float32."""


@pytest.mark.parametrize("name", DECAYS)
def test_it_is_what_tensorflow_computes(name, session):
    step = tf.placeholder(tf.int64, [])
    rate = DECAYS[name](step)
    assert rate.dtype == tf.float32
    rates = [session.run(rate, {step: k}) for k in STEPS]
    np.testing.assert_allclose(rates, MEASURED[name], rtol=1e-6)


def test_in_eager_mode_it_is_a_function(eager):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(1.0, step, 1, 0.5)
    assert [float(rate()), float(step.assign_add(2)), float(rate())] == [1.0, 2.0, 0.25]


def test_a_step_must_be_given():
    with pytest.raises(ValueError, match=r"cosine_decay: global_step must not be None"):
        tf.train.cosine_decay(0.1, None, 10)


def test_boundaries_and_values_go_together():
    with pytest.raises(ValueError, match="one value more than boundaries"):
        tf.train.piecewise_constant(1, [2, 3], [0.1, 0.2])
    with pytest.raises(ValueError, match="one element type"):
        tf.train.piecewise_constant(1, [2], [0.1, 2])
