"""Padded shapes and the account of them."""

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning.padding import (
    PaddingRecord,
    account,
    next_bucket,
    pad,
    padded_shape,
)

ANY, BUCKET = (None, False), (None, True)


def test_buckets_are_the_smallest_powers_of_two():
    for size in (*range(70), 2**40, 2**40 + 1):
        bucket = next_bucket(size)
        assert bucket >= max(2, size) and bucket & (bucket - 1) == 0
        assert bucket == 2 or bucket // 2 < size


@pytest.mark.parametrize(
    ("shapes", "dimensions", "expected"),
    [
        ([(2,), (3,)], [ANY], (3,)),
        ([(2,), (3,)], [BUCKET], (4,)),
        ([(2,), (3,)], [(7, False)], (7,)),
        ([(2,), (3,)], [(3, True)], (3,)),  # what is given is not rounded
        ([(2, 9), (3, 1)], [BUCKET, ANY], (4, 9)),
        ([(0,)], [ANY], (0,)),
        ([(0,)], [BUCKET], (2,)),
        ([()], [], ()),
        ([(5, 5)] * 3, [(5, False), ANY], (5, 5)),
    ],
)
def test_shapes_are_padded_to(shapes, dimensions, expected):
    assert padded_shape("x", shapes, tuple(dimensions)) == expected


@pytest.mark.parametrize(
    ("shapes", "dimensions", "message"),
    [
        ([(2,), (5,)], [(4, False)], r"x: replica 1 .*\[5\].*dimension 0 is 5.*4"),
        ([(1, 9)], [ANY, (8, False)], r"replica 0 .*dimension 1 is 9.*\[None, 8\]"),
        ([(2,), (2, 1)], [ANY], r"replica 1 has shape \[2, 1\], expected rank 1"),
        ([()], [ANY], "expected rank 1"),
    ],
)
def test_inputs_that_do_not_fit(shapes, dimensions, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        padded_shape("x", shapes, tuple(dimensions))


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int8, np.bool_, np.complex128, ml_dtypes.bfloat16]
)
@pytest.mark.parametrize(
    ("shape", "target"),
    [((2, 3), (4, 3)), ((2, 3), (4, 8)), ((0, 3), (1, 3)), ((), ()), ((2,), (2,))],
)
def test_the_buffer_is_filled_with_zeros_at_the_end(dtype, shape, target):
    array = (np.arange(np.prod(shape, dtype=int)) % 2 + 1).reshape(shape).astype(dtype)
    before = array.copy()
    visible = pad(array, np.empty(target, dtype), True)
    assert visible.shape == target and visible.dtype == dtype
    inner = tuple(slice(size) for size in shape)
    assert np.array_equal(visible[inner], array)
    rest = visible.copy()
    rest[inner] = np.zeros((), dtype)
    assert not rest.astype(bool).any()
    hidden = pad(array, np.empty(target, dtype), False)
    assert hidden.shape == shape and np.array_equal(hidden, array)
    assert hidden.dtype == dtype
    hidden[...] = 0
    assert np.array_equal(array, before)
    text = np.array([b"a", b"bc"], object)
    assert pad(text, np.empty(3, object), False).tolist() == [b"a", b"bc"]


def test_the_account():
    shapes, seen = [(1, 4), (3, 2), (3, 4)], {(((2,),),), (((4,),),)}
    before = PaddingRecord(compiled=seen, hits=3)
    record = account("op", 2, "input[2]", shapes, (4, 8), (BUCKET, (8, False)), before)
    assert (record.operation, record.index, record.name) == ("op", 2, "input[2]")
    assert record.true_shapes == ((1, 4), (3, 2), (3, 4)) and record.compilations == 2
    assert record.forced_by == (1, None) and record.hits == 3
    assert record.waste == pytest.approx(1 - (4 + 6 + 12) / (3 * 32))
    nothing = account("op", 0, "x", [(0, 3)], (0, 3), (ANY, ANY), PaddingRecord())
    assert nothing.waste == 0.0 and nothing.forced_by == (0, 0)


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
@pytest.mark.parametrize("visible", [True, False])
def test_padded_inputs_of_any_layout(executor, visible):
    """What the replicas receive from arrays of every layout, small and large."""
    random = np.random.default_rng(4)
    x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
    fetch = tf.tpu.replicate(
        lambda x: (x * 1.0, tf.reduce_sum(x)),
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([None, 40])],
    )
    whole = random.random((80, 80)).astype(np.float32)
    fed = [whole[:5, :3], whole[::2, 1::2], whole[::-1, :40], whole.T[:, :7]]
    settings = {"executor": executor, "cores": 2, "padding_visible": visible}
    with tf.config.override(**settings), tf.Session() as session:
        for one, other in zip(fed, reversed(fed), strict=True):
            rows = max(len(one), len(other))
            for (copy, total), array in zip(
                session.run(fetch, {x: one, y: other}), (one, other), strict=True
            ):
                assert copy.shape == ((rows, 40) if visible else array.shape)
                corner = copy[: array.shape[0], : array.shape[1]]
                assert np.array_equal(corner, array)
                assert total == pytest.approx(array.sum(dtype=np.float64), rel=1e-5)
