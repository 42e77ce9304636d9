"""Gradients at corners, poles and NaN, as TensorFlow 1.15.5 gives them on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def slopes(function: Callable[..., Any], *values: Any, **seeds: Any) -> list[Any]:
    xs = [tf.constant(np.asarray(value, np.float32)) for value in values]
    found = [tf.convert_to_tensor(g) for g in tf.gradients(function(*xs), xs, **seeds)]
    return [g.tolist() for g in tf.Session().run(found)]


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name: str) -> None:
    function, expected = ONE[name]
    (found,) = slopes(function, POINTS)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


X, Y = [1.0, 2.0, 2.0, NAN, 1.0, INF], [2.0, 1.0, 2.0, 1.0, NAN, INF]
TWO = {
    "maximum": (tf.maximum, [0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0]),
    "minimum": (tf.minimum, [1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]),
}


@pytest.mark.parametrize("name", TWO)
def test_of_equal_numbers_the_first_was_chosen(name: str) -> None:
    function, *expected = TWO[name]
    assert slopes(function, X, Y) == expected


def test_a_quotient_by_zero() -> None:
    dx, dy = slopes(tf.math.divide_no_nan, [1.0, 0.0], [0.0, 0.0])
    assert (dx, dy) == ([0, 0], [0, 0])


def test_powers_of_zero() -> None:
    dx, dy = slopes(tf.pow, [0.0, 0.0, -2.0], [2.0, 0.5, 3.0])
    assert (dx, dy) == ([0, INF, 12], [0, 0, 0])


def test_clipping_keeps_the_bounds() -> None:
    values = [-2.0, -1.0, 0.0, 1.0, 2.0, NAN]
    (dx,) = slopes(lambda x: tf.clip_by_value(x, -1.0, 1.0), values)
    assert dx == [0, 1, 1, 1, 0, 0]


def test_equally_great_elements_share() -> None:
    assert slopes(tf.reduce_max, [1.0, 3.0, 3.0, 2.0]) == [[0, 0.5, 0.5, 0]]
    assert slopes(tf.reduce_min, [1.0, 1.0, 1.0, 1.0]) == [[0.25] * 4]


def test_products_with_zeros() -> None:
    assert slopes(tf.reduce_prod, [0.0, 2.0, 3.0]) == [[6, 0, 0]]
    assert slopes(tf.reduce_prod, [0.0, 0.0, 3.0]) == [[0, 0, 0]]
    (found,) = slopes(tf.math.cumprod, [2.0, 0.0, 3.0])
    np.testing.assert_array_equal(found, [1, NAN, 0])


def test_roots_of_zero() -> None:
    assert slopes(tf.sqrt, [0.0]) == [[INF]]
    zero = tf.constant([0.0])
    assert slopes(tf.sqrt, [0.0], grad_ys=zero) == [[0]]
    positive = [0.0, 4.0]
    assert slopes(lambda x: tf.where(x > 0, tf.sqrt(x), x), positive) == [[1, 0.25]]
    assert np.isnan(slopes(tf.norm, [0.0, 0.0])).all()
    assert slopes(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]) == [[1, 1]]


def test_a_condition_does_not_stop_what_is_not_finite() -> None:
    def guarded(x: Any) -> Any:
        return tf.where(x > 0, tf.math.log(x), tf.zeros_like(x))

    (found,) = slopes(guarded, [0.0, 1.0])
    np.testing.assert_array_equal(found, [NAN, 1])


def test_what_comes_back_to_a_cut_off_activation_is_multiplied() -> None:
    (found,) = slopes(tf.nn.relu, [-1.0, 1.0], grad_ys=tf.constant([NAN, 2.0]))
    np.testing.assert_array_equal(found, [NAN, 2])


def test_the_first_of_the_greatest_in_a_window() -> None:
    def pooled(x: Any) -> Any:
        images = tf.reshape(x, [1, 2, 2, 1])
        return tf.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")

    assert slopes(pooled, [1.0, 3.0, 3.0, 2.0]) == [[0, 1, 0, 0]]


def test_labels_that_do_not_add_up_to_one() -> None:
    def loss(x: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=[0.5, 1.0], logits=x)

    (found,) = slopes(loss, [1.0, 2.0])
    share = 1 / (1 + np.exp(1))
    np.testing.assert_allclose(found, [share - 0.5, -share], rtol=1e-5)


def test_no_gradient_comes_back_through_integers_and_rounding() -> None:
    x = tf.constant([1.5])
    for y in (tf.floor(x), tf.round(x), tf.cast(tf.cast(x, tf.int32), tf.float32)):
        assert tf.gradients(y, x) == [None]
