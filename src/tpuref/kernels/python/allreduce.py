"""The all-reduce algorithms, all cores of a group in one process.

Each function takes one flat contribution per core, in replica order, and follows its
schedule in `tpuref.kernels.schedule`. Groups are independent: call once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tpuref.kernels import schedule

Vector = npt.NDArray[Any]

_HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type in which sums of a type are added up.

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


def fold(contributions: Sequence[Vector]) -> Vector:
    """Add up the contributions from left to right: the meaning of an all-reduce.

    Parameters
    ----------
    contributions
        One vector per core, of one dtype and length.

    Returns
    -------
    numpy.ndarray
        ``((x[0] + x[1]) + x[2]) + ...``, rounded once. Integers wrap.

    Raises
    ------
    ValueError
        If the contributions are none, not flat, or differ in dtype or length.
    TypeError
        If their dtype is not numeric.

    Examples
    --------
    >>> fold([np.float16([2048]), np.float16([1]), np.float16([1])]).tolist()
    [2050.0]
    """
    check_contributions(contributions)
    wide = accumulator(contributions[0].dtype)
    total = contributions[0].astype(wide)
    with np.errstate(all="ignore"):
        for contribution in contributions[1:]:
            np.add(total, contribution.astype(wide, copy=False), out=total)
        return total.astype(contributions[0].dtype, copy=False)


def ring(contributions: Sequence[Vector]) -> list[Vector]:
    """Sum by reduce-scatter and all-gather between neighbours.

    Parameters
    ----------
    contributions
        One vector per core, of one dtype and length.

    Returns
    -------
    list of numpy.ndarray
        One result per core, all of the same bits: chunk c is the fold that begins at
        core c.

    Raises
    ------
    ValueError
        If the contributions are none, not flat, or differ in dtype or length.
    TypeError
        If their dtype is not numeric.
    """
    check_contributions(contributions)
    num_cores, length = len(contributions), contributions[0].size
    dtype = contributions[0].dtype
    with np.errstate(all="ignore"):
        sums = [vector.astype(accumulator(dtype)) for vector in contributions]
        for step in schedule.ring_reduce_scatter(num_cores):
            for sender, receiver, chunk in step:
                place = schedule.chunk_slice(length, num_cores, chunk)
                own = sums[receiver][place]
                np.add(sums[sender][place], own, out=own)
        results = [vector.astype(dtype, copy=False) for vector in sums]
    for step in schedule.ring_all_gather(num_cores):
        for sender, receiver, chunk in step:
            place = schedule.chunk_slice(length, num_cores, chunk)
            results[receiver][place] = results[sender][place]
    return results


def direct(contributions: Sequence[Vector]) -> Vector:
    """Sum slice by slice: the owner of each folds it into one shared result.

    Parameters
    ----------
    contributions
        One vector per core, of one dtype and length.

    Returns
    -------
    numpy.ndarray
        The result that all cores share, with the bits of `fold`.

    Raises
    ------
    ValueError
        If the contributions are none, not flat, or differ in dtype or length.
    TypeError
        If their dtype is not numeric.
    """
    check_contributions(contributions)
    num_cores = len(contributions)
    result = np.empty_like(contributions[0])
    for owner in range(num_cores):
        place = schedule.chunk_slice(result.size, num_cores, owner)
        result[place] = fold([vector[place] for vector in contributions])
    return result


def flat(contributions: Sequence[Vector]) -> list[Vector]:
    """Sum without a division of labour: every core folds all contributions.

    Parameters
    ----------
    contributions
        One vector per core, of one dtype and length.

    Returns
    -------
    list of numpy.ndarray
        One result per core, each with the bits of `fold`.

    Raises
    ------
    ValueError
        If the contributions are none, not flat, or differ in dtype or length.
    TypeError
        If their dtype is not numeric.
    """
    check_contributions(contributions)
    return [fold(contributions) for _ in contributions]


def vector_instructions() -> str:
    """Name what adds up: NumPy here, a set of instructions in the compiled twin.

    Returns
    -------
    str
        ``numpy``.
    """
    return "numpy"


def check_contributions(contributions: Sequence[Vector]) -> None:
    """Refuse contributions that do not belong together.

    Parameters
    ----------
    contributions
        One vector per core.

    Raises
    ------
    ValueError
        If they are none, not flat, or differ in dtype or length.
    """
    kinds = {(vector.dtype, vector.shape) for vector in contributions}
    if len(kinds) != 1 or contributions[0].ndim != 1:
        described = ", ".join(
            f"core {core}: {vector.dtype}{list(vector.shape)}"
            for core, vector in enumerate(contributions)
        )
        raise ValueError(
            "all-reduce: expected from every core a flat vector of the same dtype and "
            f"length, got {described or 'no contribution'}"
        )
