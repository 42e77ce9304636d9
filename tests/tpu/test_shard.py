"""tf.tpu.shard and tf.tpu.batch_parallel: values, and what is refused."""

import pytest
from tpuref_conformance.clause import same

import tpuref as tf
from tpuref.python.tpu import tpu

from ..messages import refused


def test_an_output_axis_that_does_not_exist():
    with pytest.raises(ValueError, match="axis|dimension"):
        tf.tpu.shard(lambda x: x, [tf.zeros([4, 6])], 2, output_shard_axes=[2])


def refused_shards(tf, words, second, axis, count=2):
    """Require the error of shards of a second input, with ``words`` in it."""
    given = {"num_shards": count, "input_shard_axes": [0, axis]}
    inputs = [tf.zeros([12]), second]
    refused(ValueError, words, tf.tpu.shard, lambda a, b: a, inputs, **given)


def test_size(tf):
    for shape, count, axis, *words in (
        ([4, 6], 4, 1, "inputs[1]", "float32[4,6]", "size 6 in dimension 1,", "4 or 8"),
        ([4, 6], 4, -1, "size 6 in dimension 1, which", "num_shards = 4", "4 or 8 ["),
        ([7, 6], 3, 0, "size 7 in dimension 0, which", "num_shards = 3", "6 or 9 ["),
        ([4, 6], 3, 0, "size 4 in dimension 0, which", "num_shards = 3", "3 or 6 ["),
        ([3], 4, 0, "size 3 in dimension 0, which", "num_shards = 4", "use size 4 ["),
    ):
        refused_shards(tf, words, tf.zeros(shape), axis, count)


def test_dimension(tf):
    def require(value, axis, *words):
        refused_shards(tf, words, value, axis)

    words = ["inputs[1]", "float32[4,6] has no dimension 2 to split"]
    require(tf.zeros([4, 6]), 2, *words)
    require(tf.zeros([4, 6]), 5, "has no dimension 5 to split")
    require(tf.zeros([4, 6]), -3, "has no dimension -3 to split")
    words = ["has no dimension 0 to split; inputs must have at least rank 1"]
    require(tf.constant(1.0), 0, *words)
    require(tf.placeholder(tf.float32), 0, "inputs[1]", "unknown rank; use set_shape")
    seen = []

    def computation(a, b):
        seen.append((a.shape.as_list(), b.shape.as_list()))
        return a

    inputs = [tf.zeros([4, 6]), tf.placeholder(tf.float32, [None, 3])]
    tf.tpu.shard(computation, inputs, 2, input_shard_axes=[-1, -2])
    same(seen, [([4, 3], [None, 3])])


def test_a_computation_is_compiled_beforehand():
    def double(x):
        return x * 2.0

    compiled, outputs = tpu.split_compile_and_shard(
        double, [tf.constant([1.0, 2.0])], 2
    )
    again, replicas = tpu.split_compile_and_replicate(double, [[1.0], [3.0]])
    with tf.config.override(cores=2), tf.Session() as session:
        assert session.run([compiled, again]) == [b"", b""]
        assert session.run(outputs)[0].tolist() == [2.0, 4.0]
        assert session.run(replicas) == [(2.0,), (6.0,)]
