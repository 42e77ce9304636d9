"""tf.tpu.shard and tf.tpu.batch_parallel."""

import numpy as np
import pytest

import tpuref as tf


def grid(rows=4, columns=6):
    return tf.constant(
        np.arange(rows * columns, dtype=np.float32), shape=[rows, columns]
    )


def test_values_that_convert_are_inputs(evaluate):
    out = tf.tpu.shard(lambda a, b: (a, b), [np.arange(4.0), (1, 2)], 2)
    a, b = evaluate(out)
    assert (a.dtype, b.dtype) == (np.float64, np.int32)
    assert a.tolist() == [0.0, 1.0, 2.0, 3.0] and b.tolist() == [1, 2]


def test_lists_are_one_tensor_each(evaluate):
    seen = []

    def computation(x):
        seen.append(x.shape.as_list())
        return x

    (out,) = evaluate(tf.tpu.shard(computation, [[[1, 2], [3, 4]]], 2))
    assert seen == [[1, 2]] and out.tolist() == [[1, 2], [3, 4]]


def test_an_empty_dimension_is_divisible(evaluate):
    (out,) = evaluate(tf.tpu.shard(lambda x: x, [tf.zeros([0, 3])], 2))
    assert out.shape == (0, 3)


def test_an_output_axis_that_does_not_exist():
    with pytest.raises(ValueError, match="axis|dimension"):
        tf.tpu.shard(lambda x: x, [grid()], 2, output_shard_axes=[2])
