"""What a sum over cores is: the contributions, added from left to right.

This is the meaning that every all-reduce has to give, written in NumPy. Lockstep uses
it as it stands, the Python twin of the links for the part of each core.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tpuref.base.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    uint32,
)

Array = npt.NDArray[Any]

SUMMABLE: tuple[DType, ...] = (float16, bfloat16, float32, float64, int32, uint32)
"""The element types that cores add up; ``cython/fold.h`` knows the same."""

_HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which sums of a type are added up.

    Parameters
    ----------
    dtype
        The type of the contributions.

    Returns
    -------
    numpy.dtype
        float32 for float16 and bfloat16, otherwise the same type.

    Raises
    ------
    TypeError
        If the type is not numeric.
    """
    if dtype in _HALVES:
        return np.dtype(np.float32)
    if not np.issubdtype(dtype, np.number):
        raise TypeError(f"all-reduce: expected a numeric dtype to sum, got {dtype}")
    return dtype


def fold(contributions: Sequence[Array]) -> Array:
    """Add up the contributions from left to right: the meaning of an all-reduce.

    Parameters
    ----------
    contributions
        One array per core, of one dtype and shape.

    Returns
    -------
    numpy.ndarray
        ``((x[0] + x[1]) + x[2]) + ...``, rounded once. Integers wrap.

    Raises
    ------
    ValueError
        If the contributions are none, or differ in dtype or shape.
    TypeError
        If their dtype is not numeric.

    Examples
    --------
    >>> fold([np.float16([2048]), np.float16([1]), np.float16([1])]).tolist()
    [2050.0]
    """
    _check(contributions)
    wide = accumulator(contributions[0].dtype)
    total = np.array(contributions[0], wide, order="C")
    with np.errstate(all="ignore"):
        for contribution in contributions[1:]:
            np.add(total, contribution.astype(wide, copy=False), out=total)
        return total.astype(contributions[0].dtype, copy=False)


def _check(contributions: Sequence[Array]) -> None:
    """Refuse contributions that do not belong together."""
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
