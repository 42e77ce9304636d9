"""Shared arithmetic: accumulation of 16-bit floats in float32, and sums."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.kernels import sums

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
"""The dtypes that `tpuref.kernels.sums` adds."""

_NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def widened(array: Array) -> Array:
    """Return float16 and bfloat16 arrays as float32, the dtype of accumulation."""
    return array.astype(np.float32) if array.dtype in _NARROW else array


def written(kernel: Callable[..., Any], *inputs: Array, out: Array | None) -> Array:
    """Return the result of a kernel, an array like its first input."""
    result = np.empty_like(inputs[0]) if out is None else out
    kernel(*inputs, result)
    return result


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, signed or not."""
    return array.dtype.kind in "iu"


def summed(xp: Any, x: Array, axes: Sequence[int], *, keepdims: bool = False) -> Any:
    """Return the sums along some axes, in the dtype of `x`.

    The order of additions depends on the sizes of these axes and of those behind them,
    but not on the layout: stacks of arrays and single arrays give the same bits.
    """
    if xp is np and x.dtype in FLOATS:
        return _float_sums(x, axes, keepdims)
    return xp.sum(x, tuple(axes), x.dtype, keepdims=keepdims)


def _float_sums(x: Array, axes: Sequence[int], keepdims: bool) -> Array:
    """Sum over one run of neighbouring axes after the other, from the last.

    Axes of size 1 neither end a run nor begin one.
    """
    lies_well = x.flags.c_contiguous and x.flags.aligned
    total = x if lies_well else np.require(x, requirements=("C", "A"))
    sizes: list[int] = []
    added = False
    for axis, size in enumerate(x.shape):
        if size == 1:
            continue
        if sizes and (axis in axes) == added:
            sizes[-1] *= size
        else:
            sizes.append(size)
            added = axis in axes
    for k in range(len(sizes) - 2 + added, -1, -2):
        before, row = math.prod(sizes[:k]), math.prod(sizes[k + 1 :])
        values, total = (
            total.reshape(before, sizes[k], row),
            np.empty((before, row), x.dtype),
        )
        sums.along_middle(values, total)
        sizes[k] = 1
    if keepdims:
        return total.reshape([1 if k in axes else n for k, n in enumerate(x.shape)])
    return total.reshape([n for k, n in enumerate(x.shape) if k not in axes])
