"""Shared arithmetic: accumulation of 16-bit floats in float32, and sums."""

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tpuref.engine.ops.meaning import Array

WIDE_ROW = 1024
"""The least number of elements of which NumPy adds rows at the speed of memory."""

SEVERAL_ROWS = 1 << 13
"""Fewer elements are added in less time than two calls take."""

_NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def widened(array: Array) -> Array:
    """Return float16 and bfloat16 arrays as float32, the dtype of accumulation."""
    return array.astype(np.float32) if array.dtype in _NARROW else array


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, signed or not."""
    return array.dtype.kind in "iu"


def summed(xp: Any, x: Array, axes: Sequence[int], *, keepdims: bool = False) -> Any:
    """Return the sums along some axes, in the dtype of `x`.

    NumPy adds rows one by one, and a call for each takes longer than a narrow row.  So
    narrow rows, such as the channels of images, are first added several at a time.
    """
    if xp is np:
        x = _in_wide_rows(x, axes)
    return xp.sum(x, tuple(axes), x.dtype, keepdims=keepdims)


def _in_wide_rows(x: Array, axes: Sequence[int]) -> Array:
    """Return sums over a part of neighbouring axes, with wide rows left to add."""
    if not axes or not x.flags.c_contiguous:
        return x
    first, last = min(axes), max(axes)
    count = math.prod(x.shape[first : last + 1])
    row = math.prod(x.shape[last + 1 :])
    narrow = 2 <= row <= WIDE_ROW // 4 and count * row >= SEVERAL_ROWS
    if not narrow or len({*axes}) <= last - first:
        return x
    joined = math.gcd(count, 1 << (WIDE_ROW // row).bit_length() - 1)
    before, after = x.shape[:first], x.shape[last + 1 :]
    wide = x.reshape(*before, count // joined, joined * row).sum(first, x.dtype)
    rows: Array = wide.reshape(*before, joined, *(1,) * (last - first), *after)
    return rows
