"""Gradients at corners, poles and NaN, as TensorFlow 1.15.5 gives them on a CPU."""

import numpy as np
import pytest

import tpuref as tf

INF, NAN = float("inf"), float("nan")
POINTS = [-1.0, 0.0, 1.0, INF, -INF, NAN]

ONE = {
    "relu": (tf.nn.relu, [0, 0, 1, 1, 0, 0]),
    "relu6": (tf.nn.relu6, [0, 0, 1, 0, 0, 0]),
    "leaky_relu": (tf.nn.leaky_relu, [0.2, 0.2, 1, 1, 0.2, 0.2]),
    "elu": (tf.nn.elu, [0.36787945, 1, 1, 1, 0, 1]),
    "abs": (tf.abs, [-1, 0, 1, 1, -1, 0]),
    "sign": (tf.sign, [0, 0, 0, 0, 0, 0]),
    "log": (tf.math.log, [-1, INF, 1, 0, 0, NAN]),
    "reciprocal": (tf.math.reciprocal, [-1, -INF, -1, 0, 0, NAN]),
    "asin": (tf.asin, [INF, 1, INF, NAN, NAN, NAN]),
    "lgamma": (tf.math.lgamma, [INF, INF, -0.5772159, INF, INF, NAN]),
}


def slopes(function, *values, **seeds):
    xs = [tf.constant(np.asarray(value, np.float32)) for value in values]
    found = [tf.convert_to_tensor(g) for g in tf.gradients(function(*xs), xs, **seeds)]
    return [g.tolist() for g in tf.Session().run(found)]


def pooled(x):
    images = tf.reshape(x, [1, 2, 2, 1])
    return tf.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")


def loss(x):
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=[0.5, 1.0], logits=x)


SHARE = 1 / (1 + np.exp(1))
BEYOND = [-2.0, -1.0, 0.0, 1.0, 2.0, NAN]
KINKS = {
    **{name: (function, [POINTS], [found]) for name, (function, found) in ONE.items()},
    "divide_no_nan": (tf.math.divide_no_nan, [[1.0, 0.0], [0.0, 0.0]], [[0, 0]] * 2),
    "pow": (tf.pow, [[0.0, 0.0, -2.0], [2.0, 0.5, 3.0]], [[0, INF, 12], [0, 0, 0]]),
    "clip": (lambda x: tf.clip_by_value(x, -1.0, 1.0), [BEYOND], [[0, 1, 1, 1, 0, 0]]),
    # Equally great elements share; in a window the first takes all.
    "max": (tf.reduce_max, [[1.0, 3.0, 3.0, 2.0]], [[0, 0.5, 0.5, 0]]),
    "min": (tf.reduce_min, [[1.0, 1.0, 1.0, 1.0]], [[0.25] * 4]),
    "max_pool": (pooled, [[1.0, 3.0, 3.0, 2.0]], [[0, 1, 0, 0]]),
    "one zero": (tf.reduce_prod, [[0.0, 2.0, 3.0]], [[6, 0, 0]]),
    "two zeros": (tf.reduce_prod, [[0.0, 0.0, 3.0]], [[0, 0, 0]]),
    "cumprod": (tf.math.cumprod, [[2.0, 0.0, 3.0]], [[1, NAN, 0]]),
    # A condition does not stop what is not finite.
    "guarded": (
        lambda x: tf.where(x > 0, tf.math.log(x), tf.zeros_like(x)),
        [[0.0, 1.0]],
        [[NAN, 1]],
    ),
    "labels that do not add up to one": (loss, [[1.0, 2.0]], [[SHARE - 0.5, -SHARE]]),
}


@pytest.mark.parametrize("name", KINKS)
def test_gradients_at_kinks(name):
    function, values, expected = KINKS[name]
    np.testing.assert_allclose(slopes(function, *values), expected, rtol=1e-5)


X, Y = [1.0, 2.0, 2.0, NAN, 1.0, INF], [2.0, 1.0, 2.0, 1.0, NAN, INF]
TWO = {
    "maximum": (tf.maximum, [0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0]),
    "minimum": (tf.minimum, [1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]),
}


@pytest.mark.parametrize("name", TWO)
def test_of_equal_numbers_the_first_was_chosen(name):
    function, *expected = TWO[name]
    assert slopes(function, X, Y) == expected


def test_roots_of_zero():
    assert slopes(tf.sqrt, [0.0]) == [[INF]]
    assert slopes(tf.sqrt, [0.0], grad_ys=tf.constant([0.0])) == [[0]]
    assert slopes(lambda x: tf.where(x > 0, tf.sqrt(x), x), [0.0, 4.0]) == [[1, 0.25]]
    assert np.isnan(slopes(tf.norm, [0.0, 0.0])).all()
    assert slopes(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]) == [[1, 1]]
    # What comes back to a cut off activation is multiplied.
    (found,) = slopes(tf.nn.relu, [-1.0, 1.0], grad_ys=tf.constant([NAN, 2.0]))
    np.testing.assert_array_equal(found, [NAN, 2])


def test_no_gradient_comes_back_through_integers_and_rounding():
    x = tf.constant([1.5])
    for y in (tf.floor(x), tf.round(x), tf.cast(tf.cast(x, tf.int32), tf.float32)):
        assert tf.gradients(y, x) == [None]
