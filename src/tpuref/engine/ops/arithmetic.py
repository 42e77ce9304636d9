"""Shared arithmetic: accumulation of 16-bit floats in float32, and sums."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tpuref.engine.ops.meaning import Array

WIDE_ROW = 1024
"""From this many elements on, NumPy adds a row at the speed of memory."""

LEAST_ELEMENTS = 1 << 13
"""For fewer elements a second call of NumPy costs more than it saves."""

_NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def widened(array: Array) -> Array:
    """Return float16 and bfloat16 arrays as float32, the dtype of accumulation."""
    return array.astype(np.float32) if array.dtype in _NARROW else array


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, signed or not."""
    return array.dtype.kind in "iu"


def summed(xp: Any, x: Array, axes: Sequence[int], *, keepdims: bool = False) -> Any:
    """Return the sums along some axes, in the dtype of `x`.

    NumPy calls its loop for each row.  For a narrow row, such as the channels of a
    pixel, the call costs more than the addition, so several rows are added as one.
    """
    if xp is np:
        x = _in_wide_rows(x, axes)
    return xp.sum(x, tuple(axes), x.dtype, keepdims=keepdims)


def with_row(
    function: Callable[..., Any], x: Array, row: Array, out: Array | None
) -> Array:
    """Return `function` of `x` and of a row that is repeated over it.

    Narrow rows are repeated to a wide one, as they are joined for `summed`.
    """
    into = np.empty_like(x) if out is None else out
    narrow = row.size <= WIDE_ROW // 16 and x.size >= LEAST_ELEMENTS
    joined = math.gcd(x.size // row.size, _rows_joined(row.size)) if narrow else 1
    if joined > 1 and x.flags.c_contiguous and into.flags.c_contiguous:
        shape = -1, joined * row.size
        wide = np.empty((joined, row.size), row.dtype)
        wide[...] = row
        function(x.reshape(shape), wide.reshape(-1), out=into.reshape(shape))
    else:
        function(x, row, out=into)
    return into


def _rows_joined(row: int) -> int:
    """Return how many rows of this many elements are joined, a power of two."""
    return 1 << (WIDE_ROW // row).bit_length() - 1


def _in_wide_rows(x: Array, axes: Sequence[int]) -> Array:
    """Return partial sums along neighbouring axes, whose rows are wide."""
    if not axes or not x.flags.c_contiguous:
        return x
    first, last = min(axes), max(axes)
    count = math.prod(x.shape[first : last + 1])
    row = math.prod(x.shape[last + 1 :])
    narrow = 2 <= row <= WIDE_ROW // 4 and count * row >= LEAST_ELEMENTS
    if not narrow or len({*axes}) <= last - first:
        return x
    joined = math.gcd(count, _rows_joined(row))
    before, after = x.shape[:first], x.shape[last + 1 :]
    wide = x.reshape(*before, count // joined, joined * row).sum(first, x.dtype)
    rows: Array = wide.reshape(*before, joined, *(1,) * (last - first), *after)
    return rows
