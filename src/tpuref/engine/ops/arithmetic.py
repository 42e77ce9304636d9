"""Shared arithmetic: accumulation of 16-bit floats in float32, and sums."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
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
    lies_well = x.flags.c_contiguous and x.flags.aligned
    total = x if lies_well else np.require(x, requirements=("C", "A"))
    shapes, whole = _shapes_of_sums(x.shape, tuple(axes), keepdims)
    for shape in shapes:
        values, total = total.reshape(shape), np.empty(shape[::2], x.dtype)
        sums.along_middle(values, total)
    return total.reshape(whole)


@lru_cache(maxsize=1024)
def _shapes_of_sums(
    shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return the shapes whose middle axes are summed in turn, and that of the result.

    Each middle axis is one run of neighbouring axes, the first one from the last.  Axes
    of size 1 neither end a run nor begin one.
    """
    sizes: list[int] = []
    added = False
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if sizes and (axis in axes) == added:
            sizes[-1] *= size
        else:
            sizes.append(size)
            added = axis in axes
    shapes = []
    for k in range(len(sizes) - 2 + added, -1, -2):
        shapes.append((math.prod(sizes[:k]), sizes[k], math.prod(sizes[k + 1 :])))
        sizes[k] = 1
    if keepdims:
        return shapes, [1 if k in axes else n for k, n in enumerate(shape)]
    return shapes, [n for k, n in enumerate(shape) if k not in axes]
