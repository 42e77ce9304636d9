"""How messages describe arrays: small ones by value, others by offset in the arena."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import datatype_enum, numpy_dtype, string
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.columns import APART, SAME, STACKED, Column, Stacked

INLINE_BYTES = 512
"""Arrays up to this size travel in the message itself."""

Described = tuple[Any, ...]
"""Element type and shape, then either the bytes or texts of the array, or its offset in
the arena and, unless it is contiguous, its strides."""

DescribedColumn = tuple[int, list[Described]]
"""How the arrays of a column lie, then the description of the one array or the stack,
or of each array."""

_STRING = string.as_datatype_enum


def goes_inline(array: Array) -> bool:
    """Return whether an array travels in the message."""
    return array.dtype == object or array.nbytes <= INLINE_BYTES


def describe_inline(array: Array) -> Described:
    """Describe an array by value."""
    if array.dtype == object:
        return _STRING, array.shape, [bytes(item) for item in array.flat]
    return datatype_enum(array.dtype), array.shape, array.tobytes()


def describe_in_arena(array: Array, offset: int) -> Described:
    """Describe an array in the arena."""
    described = datatype_enum(array.dtype), array.shape, offset
    return described if array.flags.c_contiguous else (*described, array.strides)


def offset_of(described: Described) -> int | None:
    """Return the offset of an array in the arena, None if the message holds it."""
    return described[2] if isinstance(described[2], int) else None


def array_of(described: Described, arena: Arena) -> Array:
    """Return the array that is described, a view if it is in the arena."""
    number, shape, content, *strides = described
    if isinstance(content, int):
        return arena.view(content, shape, numpy_dtype(number), *strides)
    return inline_array(described)


def inline_array(described: Described) -> Array:
    """Return an array that is described by value."""
    number, shape, content = described
    if number == _STRING:
        strings = np.empty(shape, object)
        for index, item in zip(np.ndindex(*shape), content, strict=True):
            strings[index] = item
        return strings
    array: Array = np.frombuffer(content, numpy_dtype(number)).reshape(shape)
    return array


def describe_column(
    arrays: Sequence[Array], describe: Callable[[Array], Described]
) -> DescribedColumn:
    """Describe a column with what describes one array; small ones travel as a stack."""
    first = arrays[0]
    if all(array is first for array in arrays):
        return SAME, [describe(first)]
    dtype, shape = first.dtype, first.shape
    stackable = not dtype.hasobject and first.nbytes <= INLINE_BYTES
    if stackable and all(a.shape == shape and a.dtype == dtype for a in arrays):
        content = b"".join([array.tobytes() for array in arrays])
        return STACKED, [(datatype_enum(dtype), (len(arrays), *shape), content)]
    return APART, [describe(array) for array in arrays]


def column_of(
    described: DescribedColumn, length: int, received: Callable[[Described], Array]
) -> Column:
    """Return the column that is described, with what gives each of its arrays."""
    kind, parts = described
    if kind == SAME:
        return [received(parts[0])] * length
    if kind == STACKED:
        return Stacked(inline_array(parts[0]))
    return [received(part) for part in parts]
