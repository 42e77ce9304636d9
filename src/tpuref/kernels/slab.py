"""Memory for a single value, which can be joined and handed out without a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Slab(np.ndarray[Any, np.dtype[np.uint8]]):
    """Flat bytes that hold one value, or its parts side by side, and nothing else.

    The arrays in it keep it alive, as it is their ``base``. Its own base must not be an
    array, because NumPy would make that one theirs.

    Examples
    --------
    >>> slab = Slab(24, np.uint8)
    >>> parts = [slab.part(12 * k, (1, 3), np.dtype(np.int32)) for k in range(2)]
    >>> parts[0][...], parts[1][...] = [1, 2, 3], [4, 5, 6]
    >>> Slab.joined(parts, 0)
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """

    def part(self, start: int, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the array that begins at a byte.

        Parameters
        ----------
        start
            Where it begins.
        shape, dtype
            What it is.

        Returns
        -------
        numpy.ndarray
            A contiguous array over the memory of the slab.
        """
        array: Array = np.ndarray(shape, dtype, self, start)
        return array

    @staticmethod
    def of(array: Array) -> Slab | None:
        """Return the slab that an array lies in.

        Parameters
        ----------
        array
            Any array.

        Returns
        -------
        Slab or None
            None for an array in other memory.
        """
        memory = array.base
        while memory.__class__ is np.ndarray:
            memory = memory.base
        return memory if isinstance(memory, Slab) else None

    @staticmethod
    def joined(parts: Sequence[Array], axis: int) -> Array | None:
        """Return the array that is made up of parts which lie side by side.

        Parameters
        ----------
        parts
            Arrays of one dtype, whose shapes differ along the axis at most.
        axis
            The axis along which they follow one another, from 0.

        Returns
        -------
        numpy.ndarray or None
            None unless the parts lie in one slab, in this order and without a gap.
        """
        first, slab = parts[0], Slab.of(parts[0])
        if slab is None:
            return None
        start = end = _address(first)
        for part in parts:
            outermost = math.prod(part.shape[:axis]) == 1 and part.flags.c_contiguous
            if not outermost or Slab.of(part) is not slab or _address(part) != end:
                return None
            end += part.nbytes
        size = sum(part.shape[axis] for part in parts)
        shape = (*first.shape[:axis], size, *first.shape[axis + 1 :])
        return slab.part(start - _address(slab), shape, first.dtype)


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return a new array that has a slab to itself.

    Parameters
    ----------
    shape, dtype
        What it is to be.

    Returns
    -------
    numpy.ndarray
        The array, in a slab of its own unless it holds objects.
    """
    if dtype.hasobject:
        return np.empty(shape, dtype)
    slab: Slab = Slab(math.prod(shape) * dtype.itemsize, np.uint8)
    return slab.part(0, shape, dtype)


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
