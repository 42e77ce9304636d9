"""JAX's arrays as inputs, and tensors of tpuref in JAX."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

jax: Any = pytest.importorskip("jax", reason="JAX is not installed")

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
DTYPES = ["bool", "uint8", "int8", "int32", "uint32", "float16", "bfloat16", "float32"]
DTYPES.append("complex64")


@pytest.mark.parametrize("name", DTYPES)
def test_jax_takes_a_tensor(name, eager):
    taken = jax.dlpack.from_dlpack(tf.cast(tf.constant([0.0, 1.0, 1.0]), name))
    assert taken.dtype == name
    assert np.asarray(taken).astype(complex).tolist() == [0, 1, 1]


@pytest.mark.parametrize("name", DTYPES)
def test_jax_arrays_as_inputs(name, session):
    given = jax.numpy.asarray([[1, 0], [1, 1]], dtype=name)
    x = tf.placeholder(name, [2, 2])
    constant, packed = tf.convert_to_tensor(given), tf.convert_to_tensor([given] * 2)
    assert constant.dtype.name == packed.dtype.name == name
    values = session.run([constant, packed, x], {x: given})
    assert [v.astype(complex).sum() for v in values] == [3, 6, 3]


def test_jax_arrays_as_shards_and_datasets(executor, session):
    given = jax.numpy.arange(8.0).reshape(4, 2)
    (out,) = tf.tpu.shard(lambda x: tf.reduce_sum(x, 1), [given], num_shards=2)
    assert session.run(out).tolist() == [1.0, 5.0, 9.0, 13.0]
    row = tf.data.Dataset.from_tensor_slices(given).make_one_shot_iterator().get_next()
    assert session.run(row).tolist() == [0.0, 1.0]


def test_traced_arrays_have_no_value():
    def traced(x):
        with pytest.raises(TypeError, match=r"cannot be read as an array"):
            tf.convert_to_tensor(x)
        return x

    jax.jit(traced)(1.0)


def test_every_bfloat16_goes_to_jax(eager):
    taken = jax.dlpack.from_dlpack(tf.constant(PATTERNS.view(ml_dtypes.bfloat16)))
    assert taken.dtype == "bfloat16"
    assert np.array_equal(np.asarray(taken).view(np.uint16), PATTERNS)


def test_every_bfloat16_comes_from_jax(executor, session):
    given = jax.numpy.asarray(PATTERNS.view(ml_dtypes.bfloat16))
    x = tf.placeholder(tf.bfloat16, [None])
    (out,) = tf.tpu.rewrite(tf.identity, [x])
    values = session.run(out, {x: given})
    assert np.array_equal(values.view(np.uint16), PATTERNS)
    values = session.run(tf.identity(tf.convert_to_tensor(given)))
    assert np.array_equal(values.view(np.uint16), PATTERNS)
