"""Subscripts and the tf functions that read or write elements by position."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.functions import indexing

from .values import run

CUBE = np.arange(60).reshape(3, 4, 5)


SUBSCRIPTS = [
    np.s_[1],
    np.s_[-1, 2],
    np.s_[..., np.newaxis, 0],
    np.s_[1:, :-1, ::2],
    np.s_[::-1],
    np.s_[None, ..., 3:0:-2, None],
    np.s_[5:9],
    np.s_[np.int64(1), np.int8(2)],
    np.s_[...],
]


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
def test_subscripts_are_numpys(subscript):
    x, unknown = tf.constant(CUBE), tf.placeholder(tf.int64)
    part = x[subscript]
    assert part.shape.as_list() == list(CUBE[subscript].shape)
    known, later = run([part, unknown[subscript]], {unknown: CUBE})
    np.testing.assert_array_equal(known, CUBE[subscript])
    np.testing.assert_array_equal(later, CUBE[subscript])


def test_bounds_may_be_tensors():
    x, i = tf.constant(CUBE), tf.placeholder(tf.int32, [])
    parts = [x[i], x[i : i + 2], x[:, -i], x[..., i:, 0], x[tf.shape(x)[0] - 1 :]]
    assert parts[1].shape.as_list() == [None, 4, 5]
    want = [CUBE[1], CUBE[1:3], CUBE[:, -1], CUBE[..., 1:, 0], CUBE[2:]]
    for one, other in zip(run(parts, {i: 1}), want, strict=True):
        np.testing.assert_array_equal(one, other)


def test_constant_bounds_are_static():
    x = tf.constant(CUBE)
    assert x[tf.constant(1) : tf.constant(3)].shape.as_list() == [2, 4, 5]
    assert x[: x.shape[0]].shape.as_list() == [3, 4, 5]


def test_subscripts_in_eager_mode(eager):
    x = tf.constant(CUBE)
    np.testing.assert_array_equal(x[tf.constant(1), ::2].numpy(), CUBE[1, ::2])
    assert [row.shape.as_list() for row in x] == [[4, 5]] * 3


@pytest.mark.parametrize(
    "subscript", [[0, 1], np.array([True, False, True]), "a", True, 1.0]
)
def test_other_subscripts_point_at_gather(subscript):
    with pytest.raises(TypeError, match="use tf.gather"):
        tf.constant(CUBE)[subscript]


def test_wrong_subscripts_fail_where_they_are_written():
    with pytest.raises(ValueError, match="two ellipses"):
        tf.constant(CUBE)[..., 0, ...]
    with pytest.raises(ValueError, match="index 3 is out of range"):
        tf.constant(CUBE)[3]
    i = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 7 is out of range"):
        run(tf.constant(CUBE)[i], {i: 7})


def test_slice_with_known_and_unknown_places():
    x = tf.constant(CUBE)
    block = tf.slice(x, [0, 1, 2], [-1, 2, 3])
    assert block.shape.as_list() == [3, 2, 3]
    np.testing.assert_array_equal(run(block), CUBE[:, 1:3, 2:])
    begin = tf.placeholder(tf.int32, [3])
    moved = tf.slice(x, begin, [1, 2, 3])
    np.testing.assert_array_equal(run(moved, {begin: [2, 0, 1]}), CUBE[2:, :2, 1:4])


def test_strided_slice_and_its_masks():
    x = tf.constant(CUBE)
    for got, want in [
        (tf.strided_slice(x, [0, 1], [3, 4], [2, 1]), CUBE[0:3:2, 1:4]),
        (tf.strided_slice(x, [1], [2]), CUBE[1:2]),
        (tf.strided_slice(x, [1, 1], [0, 3], begin_mask=1, end_mask=2), CUBE[:0, 1:]),
        (
            tf.strided_slice(x, [1, 0, 2], [2, 0, 3], ellipsis_mask=2),
            CUBE[1:2, ..., 2:3],
        ),
        (tf.strided_slice(x, [0, 1], [0, 2], new_axis_mask=1), CUBE[None, 1:2]),
        (tf.strided_slice(x, [2, 1], [3, 2], shrink_axis_mask=3), CUBE[2, 1]),
        (tf.strided_slice(x, [-1], [0], [-1]), CUBE[-1:0:-1]),
    ]:
        np.testing.assert_array_equal(run(got), want)


def test_strided_slice_with_unknown_places():
    x, begin = tf.constant(CUBE), tf.placeholder(tf.int32, [2])
    part = tf.strided_slice(x, begin, begin + 2)
    np.testing.assert_array_equal(run(part, {begin: [0, 1]}), CUBE[0:2, 1:3])
    with pytest.raises(ValueError, match="static length"):
        tf.strided_slice(x, tf.placeholder(tf.int32, [None]), [1])


def test_gather_defaults_to_the_first_axis_behind_the_batch():
    x = tf.constant(CUBE)
    np.testing.assert_array_equal(run(tf.gather(x, [2, 0])), CUBE[[2, 0]])
    np.testing.assert_array_equal(run(tf.gather(x, [4, 1], axis=-1)), CUBE[..., [4, 1]])
    batched = tf.gather(x, [[0], [1], [2]], batch_dims=1)
    np.testing.assert_array_equal(run(batched)[:, 0], CUBE[np.arange(3), np.arange(3)])
    last = tf.gather(x, [[0], [1], [2]], batch_dims=-1)
    np.testing.assert_array_equal(run(last), run(batched))


def test_gather_of_an_unknown_shape():
    x, i = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
    np.testing.assert_array_equal(
        run(tf.gather(x, i, axis=1), {x: CUBE, i: [[1]]}), CUBE[:, [[1]]]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] is 9"):
        run(tf.gather(x, i), {x: CUBE, i: [9]})


def test_the_older_names_are_the_same_functions():
    assert indexing.tensor_scatter_update is indexing.tensor_scatter_nd_update
    assert indexing.tensor_scatter_add is indexing.tensor_scatter_nd_add
    assert indexing.tensor_scatter_sub is indexing.tensor_scatter_nd_sub
    assert tf.newaxis is None
