"""The tf functions that order elements."""

import numpy as np
import pytest

import tpuref as tf

from .values import run

TABLE = np.array([[3.0, 1.0, 2.0], [0.5, 5.0, 0.25]], np.float32)


def test_top_k_of_a_number_that_is_fed():
    k = tf.placeholder(tf.int32, [])
    values, _ = tf.nn.top_k(TABLE, k)
    assert run(values, {k: 1}).tolist() == [[3], [5]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="k is 4"):
        run(values, {k: 4})


def test_searchsorted():
    places = tf.searchsorted([1.0, 2.0, 2.0], [2.0, 0.0], side="right")
    assert places.dtype == tf.int32 and run(places).tolist() == [3, 0]
