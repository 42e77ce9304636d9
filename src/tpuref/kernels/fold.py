"""The definition of a sum over cores: contributions added from left to right.

Every all-reduce must give these bits. The lockstep executor calls `fold` directly; the
Python twin of the links uses it for the chunk of each core.
"""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tpuref.base.dtypes import DType, bfloat16, float16, float32, float64, int32, uint32

Array = npt.NDArray[Any]

SUMMABLE: tuple[DType, ...] = (float16, bfloat16, float32, float64, int32, uint32)
"""The element types that cores sum; ``cython/fold.h`` has the same list."""

_HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that accumulates a sum: float32 for half types, else `dtype`.

    It raises TypeError if the type is not numeric.
    """
    if dtype in _HALVES:
        return np.dtype(np.float32)
    if not np.issubdtype(dtype, np.number):
        raise TypeError(f"all-reduce: expected a numeric dtype to sum, got {dtype}")
    return dtype


def fold(contributions: Sequence[Array]) -> Array:
    """Return the sum of the contributions from left to right, as all-reduces define it.

    ``((x[0] + x[1]) + x[2]) + ...`` for one array per core, of one dtype and shape,
    rounded once. Integers wrap.

    >>> fold([np.float16([2048]), np.float16([1]), np.float16([1])]).tolist()
    [2050.0]

    It raises ValueError if there are no contributions or dtypes or shapes differ, and
    TypeError if the dtype is not numeric.
    """
    _check(contributions)
    wide = accumulator(contributions[0].dtype)
    total = np.array(contributions[0], wide, order="C")
    with np.errstate(all="ignore"):
        for contribution in contributions[1:]:
            np.add(total, contribution.astype(wide, copy=False), out=total)
        return total.astype(contributions[0].dtype, copy=False)


def _check(contributions: Sequence[Array]) -> None:
    """Raise ValueError unless all contributions have one dtype and shape."""
    kinds = {(array.dtype, array.shape) for array in contributions}
    if len(kinds) != 1:
        described = ", ".join(
            f"core {core}: {array.dtype}{list(array.shape)}"
            for core, array in enumerate(contributions)
        )
        raise ValueError(
            "all-reduce: expected from every core an array of the same dtype and "
            f"shape, got {described or 'no contribution'}"
        )
