"""Elementwise functions of large arrays, whose rows threads share."""

from typing import Any

import numpy as np

from tpuref.base.errors import OpError
from tpuref.engine.ops.meaning import Array, Compute
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.kernels.parts import in_parts

LEAST_SIZE = 1 << 19
"""The elements from which two threads compute an array faster than one."""

WORK = 1 << 5
"""The work for an element, as `in_parts` counts it: most of it is memory's."""


def by_rows(function: Compute, dtype: np.dtype[Any]) -> Compute:
    """Return an elementwise function, which takes ``out=``, with threads."""

    def compute(*arrays: Array, **attrs: Any) -> Any:
        largest = max(arrays, key=lambda array: array.size)
        shape, rank = largest.shape, largest.ndim
        if largest.size < LEAST_SIZE or np.broadcast(*arrays).shape != shape:
            return function(*arrays, **attrs)
        result: Array = np.empty(shape, dtype)
        cut = [array.ndim == rank and len(array) == shape[0] for array in arrays]
        failed: list[Exception] = []

        def part(first: int, last: int) -> None:
            own = [
                array[first:last] if by_row else array
                for array, by_row in zip(arrays, cut, strict=True)
            ]
            out = result[first:last]
            try:
                with np.errstate(all="ignore"):
                    given = function(*own, **attrs, out=out)
                if given is not out:
                    out[...] = given
            except (OpError, MemoryError, *FAULTS) as error:
                failed.append(error)

        in_parts(part, shape[0], largest.size * WORK)
        return function(*arrays, **attrs) if failed else result  # it fails again

    return compute
