"""Reductions of segments, and the bits of numbers."""

import numpy as np
import pytest

import tpuref as tf

pytest.importorskip("jax", reason="JAX is not installed")

ROWS = np.float32([[1, -2], [3, 4], [-5, 6]])


@pytest.mark.parametrize("name", ["sum", "max", "min", "prod"])
def test_segments_without_rows_and_rows_without_a_segment(agree, name):
    def step(x, ids):
        return getattr(tf.math, f"unsorted_segment_{name}")(x, ids, 3)

    def build():
        inputs = [[ROWS, ids] for ids in ([2, 0, 2], [-1, 1, 1])]
        return tf.tpu.replicate(step, inputs), None

    agree(build)


def test_a_segment_beyond_the_last_raises(agree):
    def build():
        inputs = [[ROWS, [0, 1, k]] for k in (2, 3)]
        return tf.tpu.replicate(
            lambda x, ids: tf.math.unsorted_segment_max(x, ids, 3), inputs
        ), None

    with pytest.raises(tf.errors.InvalidArgumentError, match="segments below 3"):
        agree(build)


def test_bits(agree):
    def step(x):
        narrow = tf.bitcast(x, tf.uint8)
        return tf.bitcast(x, tf.int32), narrow, tf.bitcast(narrow, tf.float32)

    agree(lambda: (tf.tpu.replicate(step, [[ROWS], [-ROWS]]), None))
