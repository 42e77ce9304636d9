"""Arrays as messages describe them: small ones in the message, others in the arena."""

from __future__ import annotations

from typing import Any

import numpy as np

from tpuref.base.dtypes import datatype_enum, numpy_dtype, string
from tpuref.ops.definition import Array
from tpuref.runtime.arena import Arena

INLINE_BYTES = 512
"""Arrays up to this size travel in the message itself."""

Described = tuple[Any, ...]
"""The number of the element type, the shape, and the bytes or the texts of an array; or
in place of these its offset in the arena, and its strides unless it is contiguous."""

_STRING = string.as_datatype_enum


def goes_inline(array: Array) -> bool:
    """Return whether an array travels in the message."""
    return array.dtype == object or array.nbytes <= INLINE_BYTES


def describe_inline(array: Array) -> Described:
    """Return an array with its elements."""
    if array.dtype == object:
        return _STRING, array.shape, [bytes(item) for item in array.flat]
    return datatype_enum(array.dtype), array.shape, array.tobytes()


def describe_in_arena(array: Array, offset: int) -> Described:
    """Return an array that lies in the arena."""
    described = datatype_enum(array.dtype), array.shape, offset
    return described if array.flags.c_contiguous else (*described, array.strides)


def offset_of(described: Described) -> int | None:
    """Return where an array lies in the arena, None where the message holds it."""
    return described[2] if isinstance(described[2], int) else None


def array_of(described: Described, arena: Arena) -> Array:
    """Return an array from a message: a view of the arena, or one by itself."""
    number, shape, content, *strides = described
    if isinstance(content, int):
        return arena.view(content, shape, numpy_dtype(number), *strides)
    return inline_array(described)


def inline_array(described: Described) -> Array:
    """Return the array that a message holds."""
    number, shape, content = described
    if number == _STRING:
        strings = np.empty(shape, object)
        for index, item in zip(np.ndindex(*shape), content, strict=True):
            strings[index] = item
        return strings
    array: Array = np.frombuffer(content, numpy_dtype(number)).reshape(shape)
    return array
