"""NumPy's array functions on tensors give what they give on arrays."""

import contextlib

import numpy as np
import pytest

import tpuref as tf

from .values import same

ROW = np.array([3, 1, 2, 1], np.int32)
TABLE = np.arange(12, dtype=np.float32).reshape(3, 4) % 5
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def value_of(result):
    """Return what a session, or eager mode, gives for a nest of tensors and numbers."""
    if isinstance(result, (list, tuple)):
        return [value_of(part) for part in result]
    if not isinstance(result, tf.Tensor):
        return result
    if tf.executing_eagerly():
        return result.numpy()
    with tf.Session() as session:
        return session.run(result)


CASES = {
    "shape": (CUBE, lambda x: np.shape(x)),
    "ndim": (CUBE, lambda x: np.ndim(x)),
    "size": (CUBE, lambda x: np.size(x)),
    "size axis": (CUBE, lambda x: np.size(x, 1)),
    "zeros_like": (CUBE, lambda x: np.zeros_like(x)),
    "zeros_like dtype": (CUBE, lambda x: np.zeros_like(x, dtype=np.int8)),
    "ones_like shape": (CUBE, lambda x: np.ones_like(x, shape=(2, 2))),
    "full_like": (CUBE, lambda x: np.full_like(x, 7)),
    "full_like shape": (ROW, lambda x: np.full_like(x, 7, np.float32, shape=[2])),
    "copy": (CUBE, lambda x: np.copy(x)),
    "meshgrid": (ROW, lambda x: np.meshgrid(x, ROW[:2])),
    "reshape": (CUBE, lambda x: np.reshape(x, (-1, 4))),
    "reshape flat": (CUBE, lambda x: np.reshape(x, -1)),
    "ravel": (CUBE, lambda x: np.ravel(x)),
    "transpose": (CUBE, lambda x: np.transpose(x)),
    "transpose axes": (CUBE, lambda x: np.transpose(x, (2, -3, 1))),
    "swapaxes": (CUBE, lambda x: np.swapaxes(x, 0, -1)),
    "moveaxis": (CUBE, lambda x: np.moveaxis(x, 0, -1)),
    "moveaxis two": (CUBE, lambda x: np.moveaxis(x, [0, 1], [1, 2])),
    "expand_dims one": (CUBE, lambda x: np.expand_dims(x, 1)),
    "expand_dims": (CUBE, lambda x: np.expand_dims(x, (0, -1))),
    "squeeze": (CUBE[:1], lambda x: np.squeeze(x)),
    "squeeze axis": (CUBE[:1], lambda x: np.squeeze(x, axis=0)),
    "atleast_1d": (np.float32(3), lambda x: np.atleast_1d(x)),
    "atleast_2d": (ROW, lambda x: np.atleast_2d(x, x)),
    "flip": (CUBE, lambda x: np.flip(x)),
    "flip axis": (CUBE, lambda x: np.flip(x, (0, 2))),
    "flipud": (TABLE, lambda x: np.flipud(x)),
    "fliplr": (TABLE, lambda x: np.fliplr(x)),
    "rot90": (TABLE, lambda x: [np.rot90(x, k) for k in range(-1, 4)]),
    "rot90 axes": (CUBE, lambda x: np.rot90(x, 1, (2, 0))),
    "roll": (TABLE, lambda x: np.roll(x, 5)),
    "roll axis": (TABLE, lambda x: np.roll(x, 1, 0)),
    "roll axes": (TABLE, lambda x: np.roll(x, (1, -2), (0, 1))),
    "roll one shift": (TABLE, lambda x: np.roll(x, 1, (0, 1))),
    "concatenate": (TABLE, lambda x: np.concatenate([x, TABLE[:1]])),
    "concatenate flat": (TABLE, lambda x: np.concatenate((x, x), axis=None)),
    "stack": (TABLE, lambda x: np.stack([x, TABLE], axis=1)),
    "vstack": (ROW, lambda x: np.vstack([x, x])),
    "hstack": (ROW, lambda x: np.hstack([x, x])),
    "hstack tables": (TABLE, lambda x: np.hstack([x, x])),
    "split": (TABLE, lambda x: np.split(x, 2, axis=1)),
    "split indices": (TABLE, lambda x: np.split(x, [1, 3], axis=1)),
    "array_split": (TABLE, lambda x: np.array_split(x, 3, axis=1)),
    "array_split indices": (TABLE, lambda x: np.array_split(x, [2, 9])),
    "tile": (TABLE, lambda x: np.tile(x, 2)),
    "tile more": (ROW, lambda x: np.tile(x, (2, 1, 2))),
    "repeat": (TABLE, lambda x: np.repeat(x, 2)),
    "repeat axis": (TABLE, lambda x: np.repeat(x, [0, 1, 2], axis=0)),
    "broadcast_to": (ROW, lambda x: np.broadcast_to(x, (2, 4))),
    "pad": (TABLE, lambda x: np.pad(x, 1)),
    "pad pairs": (TABLE, lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=3)),
    "pad reflect": (TABLE, lambda x: np.pad(x, (1, 2), mode="reflect")),
    "pad symmetric": (TABLE, lambda x: np.pad(x, 2, mode="symmetric")),
    "tril": (CUBE, lambda x: [np.tril(x, k) for k in (-1, 0, 1)]),
    "triu": (CUBE, lambda x: [np.triu(x, k) for k in (-1, 0, 1)]),
    "diag of vector": (ROW, lambda x: [np.diag(x, k) for k in (-2, 0, 1)]),
    "diag of matrix": (TABLE, lambda x: [np.diag(x, k) for k in (-2, 0, 1)]),
    "diagonal": (CUBE, lambda x: np.diagonal(x, 1, 2, 0)),
    "where": (TABLE, lambda x: np.where(x > 2, x, 0)),
    "where numbers": (TABLE, lambda x: np.where(x, x, TABLE[0])),
    "where positions": (TABLE, lambda x: np.where(x > 2)),
    "nonzero": (TABLE, lambda x: np.nonzero(x)),
    "argwhere": (TABLE, lambda x: np.argwhere(x)),
    "take": (TABLE, lambda x: np.take(x, [2, -1])),
    "take axis": (TABLE, lambda x: np.take(x, [[2, -1]], axis=-1)),
    "take_along_axis": (TABLE, lambda x:
        np.take_along_axis(x, np.argsort(TABLE, 1), axis=1)),
    "sort": (TABLE, lambda x: np.sort(x)),
    "sort axis": (TABLE, lambda x: np.sort(x, axis=0)),
    "sort flat": (TABLE, lambda x: np.sort(x, axis=None)),
    "argsort": (ROW, lambda x: np.argsort(x, kind="stable")),
    "searchsorted": (ROW, lambda x:
        np.searchsorted(x * 0 + [1, 2, 3, 4], TABLE.astype(np.int32))),
}  # fmt: skip


@pytest.mark.parametrize("mode", [contextlib.nullcontext, tf.eager_execution])
@pytest.mark.parametrize("name", CASES)
def test_tensors_give_what_arrays_give(name, mode):
    array, call = CASES[name]
    with mode():
        same(value_of(call(tf.constant(array))), call(array))


def test_sizes_that_are_fed(session):
    x = tf.placeholder(tf.float32, [None, 4])
    rows, columns = np.shape(x)
    assert columns == 4
    got = session.run(
        [rows, np.size(x), np.reshape(x, (columns, rows)), np.full_like(x, 2)],
        {x: TABLE},
    )
    assert got[0] == 3 and got[1] == 12
    np.testing.assert_array_equal(got[2], TABLE.reshape(4, 3))
    np.testing.assert_array_equal(got[3], np.full((3, 4), 2))


def test_argsort_counts_in_int64():
    assert np.argsort(tf.constant(ROW)).dtype == tf.int64


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: np.concatenate([x, x], out=np.ones((6, 4))), "out cannot be used"),
        (lambda x: np.reshape(x, -1, order="F"), "order cannot be used"),
        (lambda x: np.take(x, 0, mode="wrap"), "mode cannot be used"),
        (lambda x: np.pad(x, 1, mode="edge"), "'edge'"),
        (lambda x: np.pad(x, 1, mode="reflect", reflect_type="odd"), "reflect_type"),
        (lambda x: np.meshgrid(x, x, sparse=True), "sparse cannot be used"),
        (lambda x: np.sum(x, out=np.empty(())), r"np\.sum: out="),
        (lambda x: np.invert(x), "integer"),
        (
            lambda x: np.round(tf.constant([1]), 1),
            "decimals=1 needs a floating-point tensor",
        ),
        (lambda x: np.einsum(x[0], [0], [0]), "subscripts must be text"),
        (lambda x: np.median(x), r"np\.median .*outside_compilation"),
    ],
)
def test_what_tensors_cannot_do_is_a_type_error(call, message):
    with pytest.raises(TypeError, match=message):
        call(tf.constant(TABLE))


def test_an_index_too_far_from_the_end_is_a_run_time_fault(session):
    taken = np.take(tf.constant(ROW), tf.constant([-5]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        session.run(taken)
