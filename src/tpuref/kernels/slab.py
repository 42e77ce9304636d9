"""Slabs: memory for a single value, whose parts can be joined without a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.kernels import addresses

Array = npt.NDArray[Any]


class Slab(np.ndarray[Any, np.dtype[np.uint8]]):
    """Flat bytes that hold one value, or its adjacent parts, and nothing else.

    The arrays in a slab keep it alive as their ``base``. The slab itself must not have
    an array as its base: NumPy would collapse the chain and make that array theirs.

    >>> slab = Slab(24, np.uint8)
    >>> parts = [slab.part(12 * k, (1, 3), np.dtype(np.int32)) for k in range(2)]
    >>> parts[0][...], parts[1][...] = [1, 2, 3], [4, 5, 6]
    >>> Slab.joined(parts, 0)
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """

    def part(self, start: int, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return the contiguous array over the slab that begins at byte `start`."""
        array: Array = np.ndarray(shape, dtype, self, start)
        return array

    @staticmethod
    def of(array: Array) -> Slab | None:
        """Return the slab of an array, None for an array in other memory."""
        memory = array.base
        while memory.__class__ is np.ndarray:
            memory = memory.base
        return memory if isinstance(memory, Slab) else None

    @staticmethod
    def joined(parts: Sequence[Array], axis: int) -> Array | None:
        """Return the concatenation of adjacent parts as a view.

        Return None unless the parts lie in one slab, in this order and without a gap.
        """
        first, slab = parts[0], Slab.of(parts[0])
        if slab is None:
            return None
        start = end = addresses.address_of(first)
        for part in parts:
            outermost = math.prod(part.shape[:axis]) == 1 and part.flags.c_contiguous
            follows = Slab.of(part) is slab and addresses.address_of(part) == end
            if not (outermost and follows):
                return None
            end += part.nbytes
        size = sum(part.shape[axis] for part in parts)
        shape = (*first.shape[:axis], size, *first.shape[axis + 1 :])
        return slab.part(start - addresses.address_of(slab), shape, first.dtype)


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return a new array in a new slab, or in plain memory if it holds objects."""
    if dtype.hasobject:
        return np.empty(shape, dtype)
    slab: Slab = Slab(math.prod(shape) * dtype.itemsize, np.uint8)
    return slab.part(0, shape, dtype)
