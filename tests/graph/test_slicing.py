"""Subscripts of tensors mean what they mean to NumPy, with static shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tpuref as tf

X = np.arange(24).reshape(2, 3, 4)

KEYS = [np.s_[0], np.s_[-1], np.s_[1, 2, 3], np.s_[:], np.s_[0:1], np.s_[:, 1:]]
KEYS += [np.s_[:, -2:], np.s_[:, :, ::2], np.s_[::-1, ::-1], np.s_[:, 2:0:-1, 3::-2]]
KEYS += [np.s_[..., 0], np.s_[0, ...], np.s_[...], np.s_[1, ..., 2], np.s_[np.newaxis]]
KEYS += [np.s_[:, np.newaxis, 1], np.s_[..., np.newaxis], np.s_[5:], np.s_[:, 2:1]]
KEYS += [np.s_[-100:100], np.s_[np.int64(1)]]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_subscripts_are_those_of_numpy(key: Any) -> None:
    expected = X[key]
    part = tf.constant(X)[key]
    assert part.shape.as_list() == list(expected.shape)
    np.testing.assert_array_equal(tf.Session().run(part), expected)
    unknown = tf.placeholder(tf.int64)
    found = tf.Session().run(unknown[key], {unknown: X})
    np.testing.assert_array_equal(found, expected)


def test_bounds_may_be_tensors_and_variables() -> None:
    x = tf.constant(X)
    i = tf.placeholder(tf.int32, [])
    v = tf.Variable(2)
    parts = [x[i], x[:, i:], x[:, : i + 1, ::v], x[0, v - 1]]
    assert parts[0].shape.as_list() == [3, 4]
    assert parts[1].shape.as_list() == [2, None, 4]
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run(parts, {i: 1})
    for value, expected in zip(
        found, [X[1], X[:, 1:], X[:, :2, ::2], X[0, 1]], strict=True
    ):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (2, ValueError, "2"),
        (-3, ValueError, "-3"),
        ((0, 0, 0, 0), ValueError, "4"),
        ((Ellipsis, Ellipsis), ValueError, "two ellipses"),
        (np.s_[::0], ValueError, "(?i)step"),
        ("x", TypeError, "'x'.*is not valid"),
        (1.5, TypeError, "1.5"),
        (True, TypeError, "boolean_mask"),
        ([0, 1], TypeError, "tf.gather"),
        (np.array([True, False]), TypeError, "boolean_mask"),
        (np.s_["a":], TypeError, "'a'"),
    ],
)
def test_subscripts_that_do_not_work(key, error, message):
    if callable(key):
        key = key()
    with pytest.raises(error, match=message):
        tf.constant(X, name="x")[key]


def test_a_float_tensor_is_no_subscript() -> None:
    with pytest.raises(TypeError, match="is not valid"):
        tf.constant(X)[tf.constant(1.0)]
    with pytest.raises(TypeError, match="tf.gather"):
        tf.constant(X)[tf.constant([0, 1])]


def test_an_index_out_of_range_at_run_time_is_named() -> None:
    i = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        tf.Session().run(tf.constant(X)[i], {i: 7})
