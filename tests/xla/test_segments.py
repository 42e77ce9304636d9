"""Reductions of segments, and the bits of numbers."""

import numpy as np
import pytest

import tpuref as tf

from .conftest import ONE_DEVICE, replicated

pytest.importorskip("jax", reason="JAX is not installed")
pytestmark = ONE_DEVICE

ROWS = np.float32([[1, -2], [3, 4], [-5, 6]])


def segments(agree, name, last):
    reduction = getattr(tf.math, f"unsorted_segment_{name}")
    inputs = [[ROWS, ids] for ids in ([2, 0, 2], [-1, 1, last])]
    return agree(replicated(lambda x, at: reduction(x, at, 3), inputs))


@pytest.mark.parametrize("name", ["sum", "max", "min", "prod"])
def test_segments_without_rows_and_rows_without_a_segment(agree, name):
    segments(agree, name, 1)


def test_a_segment_beyond_the_last_raises(agree):
    with pytest.raises(tf.errors.InvalidArgumentError, match="segments below 3"):
        segments(agree, "max", 3)


def test_bits(agree):
    def step(x):
        narrow = tf.bitcast(x, tf.uint8)
        return tf.bitcast(x, tf.int32), narrow, tf.bitcast(narrow, tf.float32)

    agree(replicated(step, [[ROWS], [-ROWS]]))
