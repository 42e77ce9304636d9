"""The tf functions on arrays: static, with unknown shapes, and in eager mode."""

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

from ..messages import refused
from .values import run, same

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ROW = np.array([3, 1, 2], np.int32)
MASK = np.array([[True, False, True], [False, False, True]])


CALLS = [
    ("identity", CUBE, lambda x: tf.identity(x), CUBE),
    ("stop_gradient", CUBE, lambda x: tf.stop_gradient(x), CUBE),
    ("reshape", CUBE, lambda x: tf.reshape(x, [4, -1]), CUBE.reshape(4, 6)),
    ("reshape by tensor", CUBE, lambda x: tf.reshape(x, [tf.shape(x)[0], -1]),
     CUBE.reshape(2, 12)),
    ("transpose", CUBE, lambda x: tf.transpose(x), CUBE.T),
    ("transpose perm", CUBE, lambda x: tf.transpose(x, tf.constant([1, 0, 2])),
     CUBE.transpose(1, 0, 2)),
    ("expand_dims", CUBE, lambda x: tf.expand_dims(x, -2), CUBE[:, :, None]),
    ("expand_dims dim", CUBE, lambda x: tf.expand_dims(x, dim=0), CUBE[None]),
    ("expand_dims of a list", CUBE, lambda x: tf.expand_dims(x, axis=[-1]),
     CUBE[..., None]),
    ("squeeze", CUBE[:1], lambda x: tf.squeeze(x), CUBE[0]),
    ("squeeze axis", CUBE[:1, :, :1], lambda x: tf.squeeze(x, [0]), CUBE[0, :, :1]),
    ("reverse", CUBE, lambda x: tf.reverse(x, [-1, 0]), CUBE[::-1, :, ::-1]),
    ("roll", CUBE, lambda x: tf.roll(x, 1, 2), np.roll(CUBE, 1, 2)),
    ("roll axes", CUBE, lambda x: tf.roll(x, [1, -1], [0, 1]),
     np.roll(CUBE, (1, -1), (0, 1))),
    ("stack", CUBE, lambda x: tf.stack([x, x + 1], axis=-1),
     np.stack([CUBE, CUBE + 1], -1)),
    ("unstack", CUBE, lambda x: tf.unstack(x, num=3, axis=1),
     [CUBE[:, k] for k in range(3)]),
    ("concat", CUBE, lambda x: tf.concat([x, x], 1), np.concatenate([CUBE, CUBE], 1)),
    ("split", CUBE, lambda x: tf.split(x, 2, axis=2), np.split(CUBE, 2, 2)),
    ("split sizes", CUBE, lambda x: tf.split(x, [1, 3], -1), np.split(CUBE, [1], 2)),
    ("tile", CUBE, lambda x: tf.tile(x, [1, 2, 0]), np.tile(CUBE, (1, 2, 0))),
    ("repeat", CUBE, lambda x: tf.repeat(x, 2), np.repeat(CUBE, 2)),
    ("repeat axis", CUBE, lambda x: tf.repeat(x, [1, 0, 2], 1),
     np.repeat(CUBE, [1, 0, 2], 1)),
    ("pad", ROW, lambda x: tf.pad(x, [[1, 2]], constant_values=9),
     np.pad(ROW, (1, 2), constant_values=9)),
    ("pad reflect", ROW, lambda x: tf.pad(x, [[1, 2]], "reflect"),
     np.pad(ROW, (1, 2), "reflect")),
    ("pad symmetric", ROW, lambda x: tf.pad(x, [[3, 2]], "SYMMETRIC"),
     np.pad(ROW, (3, 2), "symmetric")),
    ("zeros_like", CUBE, lambda x: tf.zeros_like(x), np.zeros_like(CUBE)),
    ("ones_like", CUBE, lambda x: tf.ones_like(x, tf.int8),
     np.ones_like(CUBE, np.int8)),
    ("fill", ROW, lambda x: tf.fill(tf.shape(x), 7), np.full(3, 7)),
    ("shape", CUBE, lambda x: tf.shape(x), [2, 3, 4]),
    ("size", CUBE, lambda x: tf.size(x, out_type=tf.int64), np.int64(24)),
    ("rank", CUBE, lambda x: tf.rank(x), np.int32(3)),
    ("broadcast_to", ROW, lambda x: tf.broadcast_to(x, [2, 3]), np.stack([ROW, ROW])),
    ("range", ROW, lambda x: tf.range(x[1], tf.size(x) + 5, x[2]), [1, 3, 5, 7]),
    ("one_hot", ROW, lambda x: tf.one_hot(x, 4, dtype=tf.int32), np.eye(4)[ROW]),
    ("one_hot values", ROW, lambda x: tf.one_hot(x, 4, on_value=5.0, axis=0),
     5 * np.eye(4)[ROW].T),
    ("sequence_mask", ROW, lambda x: tf.sequence_mask(x), np.arange(3) < ROW[:, None]),
    ("matrix_diag", ROW, lambda x: tf.matrix_diag(x), np.diag(ROW)),
    ("matrix_diag_part", CUBE, lambda x: tf.matrix_diag_part(x),
     np.diagonal(CUBE, 0, 1, 2)),
    ("matrix_band_part", CUBE, lambda x: tf.matrix_band_part(x, -1, 0), np.tril(CUBE)),
    ("where", CUBE, lambda x: tf.where(x > 5, x, -x), np.where(CUBE > 5, CUBE, -CUBE)),
    ("where 1", MASK, lambda x: tf.where(x), np.argwhere(MASK)),
    ("where_v2", ROW, lambda x: tf.where_v2(x > 1, x[:, None], 0),
     np.where(ROW > 1, ROW[:, None], 0)),
    ("eye", ROW, lambda x: tf.eye(x[0], batch_shape=[2]), np.stack([np.eye(3)] * 2)),
    ("meshgrid", ROW, lambda x: tf.meshgrid(x, [8, 9]), np.meshgrid(ROW, [8, 9])),
    ("meshgrid ij", ROW, lambda x: tf.meshgrid(x, [8, 9], indexing="ij"),
     np.meshgrid(ROW, [8, 9], indexing="ij")),
]  # fmt: skip

STATIC = [
    ("matrix_transpose", CUBE, lambda x: tf.matrix_transpose(x),
     CUBE.transpose(0, 2, 1)),
    ("split rest", CUBE, lambda x: tf.split(x, [1, -1], 2), np.split(CUBE, [1], 2)),
    ("unstack", CUBE, lambda x: tf.unstack(x), list(CUBE)),
    ("boolean_mask", CUBE, lambda x: tf.boolean_mask(x, [True, False]), CUBE[:1]),
    ("boolean_mask 2", CUBE, lambda x: tf.boolean_mask(x, MASK), CUBE[MASK]),
    ("boolean_mask axis", CUBE, lambda x: tf.boolean_mask(x, MASK[0], axis=1),
     CUBE[:, MASK[0]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "call", "expected"), CALLS + STATIC)
def test_with_static_shapes(name, value, call, expected):
    same(run(call(tf.constant(value))), expected)


@pytest.mark.parametrize(("name", "value", "call", "expected"), CALLS)
def test_with_unknown_rank(name, value, call, expected):
    x = tf.placeholder(value.dtype)
    same(run(call(x), {x: value}), expected)


@pytest.mark.parametrize(("name", "value", "call", "expected"), CALLS + STATIC)
def test_at_once_in_eager_mode(name, value, call, expected, eager):
    got = call(tf.constant(value))
    if isinstance(expected, (list, tuple)) and isinstance(got, list):
        same([part.numpy() for part in got], expected)
    else:
        same(got.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int64", "bool", "complex64"])
def test_zeros_and_ones_of_a_dtype(dtype):
    zeros, ones = run([tf.zeros([2, 3], dtype), tf.ones(tf.TensorShape([2]), dtype)])
    assert zeros.dtype == ones.dtype == tf.as_dtype(dtype).np
    assert zeros.shape == (2, 3) and not zeros.any() and ones.all()


def test_zeros_of_text_are_empty():
    assert run(tf.zeros([2], tf.string)).tolist() == [b"", b""]


def test_a_shape_may_hold_dimensions_tensors_and_numbers():
    x = tf.placeholder(tf.float32, [None, 5])
    zeros = tf.zeros([tf.shape(x)[0], x.shape[1], 2])
    assert zeros.shape.as_list() == [None, 5, 2]
    assert run(zeros, {x: np.ones((3, 5))}).shape == (3, 5, 2)
    assert tf.zeros(tf.shape(x)).shape.as_list() == [None, 5]
    assert tf.zeros(3).shape.as_list() == [3]
    assert tf.ones([]).shape.as_list() == []


@pytest.mark.parametrize(
    ("arguments", "dtype", "expected"),
    [
        ((4,), "int32", [0, 1, 2, 3]),
        ((1, 2, 0.5), "float32", [1, 1.5]),
        ((np.int64(2), 4), "int64", [2, 3]),
        ((3, 0, -1), "int32", [3, 2, 1]),
        ((0.0, np.float64(1), 0.5), "float64", [0, 0.5]),
    ],
)
def test_range_takes_the_dtype_that_holds_all(arguments, dtype, expected):
    numbers = tf.range(*arguments)
    assert numbers.dtype == dtype and numbers.shape.as_list() == [len(expected)]
    assert run(numbers).tolist() == expected


def test_range_of_a_dtype():
    got = run(tf.range(3, dtype=tf.bfloat16))
    assert got.dtype == ml_dtypes.bfloat16 and got.tolist() == [0, 1, 2]


def test_one_hot_dtypes():
    assert tf.one_hot([1], 3).dtype == tf.float32
    assert tf.one_hot([1], 3, on_value=True, off_value=False).dtype == tf.bool
    with pytest.raises(TypeError):
        tf.one_hot([1], 3, on_value=1.5, dtype=tf.int32)


def test_a_placeholder_is_fed():
    x = tf.placeholder(tf.int32, [None, 2], name="x")
    assert x.name == "x:0" and x.shape.as_list() == [None, 2]
    assert run(x + 1, {x: [[1, 2]]}).tolist() == [[2, 3]]
    with tf.eager_execution(), pytest.raises(RuntimeError, match="eager"):
        tf.placeholder(tf.int32)


def test_a_condition_vector_chooses_rows():
    x, y = tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 6], [7, 8]])
    assert run(tf.where([True, False], x, y)).tolist() == [[1, 2], [7, 8]]
    assert run(tf.where_v2([True, False], x, y)).tolist() == [[1, 6], [3, 8]]


def test_a_fault_while_running_names_operation_and_line():
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [2, 2], name="square")
    words = ["3 elements do not fill shape [2, 2]", "E110", "square", "test_arrays.py"]
    refused(tf.errors.InvalidArgumentError, words, run, y, {x: [1, 2, 3]})
