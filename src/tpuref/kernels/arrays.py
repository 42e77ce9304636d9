"""Splitting, joining and padding of whole arrays with the chosen kernels."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.kernels import padding, sharding
from tpuref.kernels.buffers import Extents, byte_view
from tpuref.kernels.slab import Slab
from tpuref.kernels.status import BAD_COUNT, BAD_RANK, DOES_NOT_FIT, OK, check

Array = npt.NDArray[Any]
Empty = Callable[[Sequence[int], np.dtype[Any]], Array]
"""A function that allocates an array of a shape and dtype."""


def split(
    array: Array, axis: int, num_shards: int, empty: Empty = np.empty
) -> list[Array]:
    """Cut an array into equal shards along an axis.

    The shards are in separate memory, allocated by `empty`.  It raises ValueError if
    there is no such axis, or its size is no multiple of `num_shards`.

    Examples
    --------
    >>> split(np.arange(6).reshape(2, 3).T, 0, 3)
    [array([[0, 3]]), array([[1, 4]]), array([[2, 5]])]
    """
    axis = _axis("split", axis, array.ndim)
    if num_shards < 1 or array.shape[axis] % num_shards:
        raise ValueError(
            f"split(array, axis, num_shards): dimension {axis} has size "
            f"{array.shape[axis]}, which {num_shards} shards cannot share equally; "
            "give a divisor of the size, or pad the array first (pad_to)"
        )
    if array.dtype.hasobject:
        # The bytes of such an array are references, which only NumPy may copy.
        return [part.copy() for part in np.split(array, num_shards, axis)]
    shape = (
        *array.shape[:axis],
        array.shape[axis] // num_shards,
        *array.shape[axis + 1 :],
    )
    shards: list[Array] = [empty(shape, array.dtype) for _ in range(num_shards)]
    source = byte_view(np.ascontiguousarray(array))
    outer, run_bytes = _runs(shards[0], axis)
    for shard, part in enumerate(shards):
        status = sharding.take_shard(
            source, byte_view(part), outer, run_bytes, num_shards, shard
        )
        check(status, "split", shape=array.shape, axis=axis, num_shards=num_shards)
    return shards


def join(arrays: Sequence[Array], axis: int, empty: Empty = np.empty) -> Array:
    """Concatenate arrays along an axis.

    Their shapes differ along the axis at most. Return a new array, allocated by
    `empty`, or a view if the arrays are adjacent in one slab.  It raises ValueError if
    there are no arrays, no such axis, or the shapes do not match, and TypeError if the
    dtypes differ.

    Examples
    --------
    >>> join([np.array([[0, 3]]), np.array([[1, 4]])], 1)
    array([[0, 3, 1, 4]])
    """
    if not arrays:
        raise ValueError("join(arrays, axis): expected one array or more, got none")
    first = arrays[0]
    axis = _axis("join", axis, first.ndim)
    if any(array.dtype != first.dtype for array in arrays):
        dtypes = [str(array.dtype) for array in arrays]
        raise TypeError(f"join(arrays, axis): expected one dtype, got {dtypes}")
    if first.dtype.hasobject or any(array.shape != first.shape for array in arrays):
        # The bytes of an object array are references, which only NumPy may copy, and
        # the kernel joins shards of equal size.
        return np.concatenate(arrays, axis)
    joined = Slab.joined(arrays, axis)
    if joined is not None:
        return joined
    shape = (*first.shape[:axis], first.shape[axis] * len(arrays))
    whole = empty((*shape, *first.shape[axis + 1 :]), first.dtype)
    destination = byte_view(whole)
    outer, run_bytes = _runs(first, axis)
    for shard, array in enumerate(arrays):
        source = byte_view(np.ascontiguousarray(array))
        status = sharding.put_shard(
            source, destination, outer, run_bytes, len(arrays), shard
        )
        check(status, "join", shape=first.shape, axis=axis, num_shards=len(arrays))
    return whole


def pad_to(array: Array, shape: Sequence[int], out: Array | None = None) -> Array:
    """Enlarge an array with zeros at the end of its dimensions.

    The result is `out`, a contiguous array of the new shape, or a new array. An array
    of objects holds strings: it is padded with empty strings, and always new.  It
    raises ValueError if the ranks differ or `shape` is smaller in a dimension.

    >>> pad_to(np.array([[1, 2]]), (2, 3))
    array([[1, 2, 0],
           [0, 0, 0]])
    """
    if array.dtype.hasobject:
        status = _corner_status(array.shape, shape)
        check(status, "pad_to", array_shape=array.shape, shape=tuple(shape))
        # The bytes of such an array are references, which only NumPy may copy.
        strings = np.full(shape, b"", array.dtype)
        strings[_corner(array.shape)] = array
        return strings
    padded: Array = np.empty(shape, array.dtype) if out is None else out
    status = padding.pad(
        byte_view(np.ascontiguousarray(array)),
        _extents(array.shape),
        byte_view(padded),
        _extents(shape),
        array.dtype.itemsize,
    )
    check(status, "pad_to", array_shape=array.shape, shape=tuple(shape))
    return padded


def _axis(function: str, axis: int, rank: int) -> int:
    """Return the axis counted from the start, or raise ValueError."""
    if not -rank <= axis < rank:
        raise ValueError(
            f"{function}: expected an axis from {-rank} to {rank - 1} for an array of "
            f"rank {rank}, got {axis}"
        )
    return axis % rank


def _runs(part: Array, axis: int) -> tuple[int, int]:
    """Return the number of a shard's contiguous runs and their size in bytes."""
    run = math.prod(part.shape[axis:]) * part.dtype.itemsize
    return math.prod(part.shape[:axis]), run


def _extents(shape: Sequence[int]) -> Extents:
    return np.array(shape, np.int64)


def _corner(shape: Sequence[int]) -> tuple[Any, ...]:
    # With the ellipsis, indexing an array of rank 0 gives an array, not a scalar.
    return (*(slice(extent) for extent in shape), ...)


def _corner_status(small: Sequence[int], large: Sequence[int]) -> int:
    """Return the status with which the kernels answer these shapes."""
    if len(small) != len(large):
        return BAD_RANK
    if min((*small, *large, 0)) < 0:
        return BAD_COUNT
    fits = all(inner <= outer for inner, outer in zip(small, large, strict=True))
    return OK if fits else DOES_NOT_FIT
