"""Elementwise functions of large arrays, computed by several threads."""

from typing import Any

import numpy as np

from tpuref.base.errors import OpError
from tpuref.engine.ops.meaning import Array, Compute
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.kernels.parts import in_parts

LEAST_SIZE = 1 << 19
"""The number of elements from which two threads are faster than one."""

WORK = 1 << 5
"""The work per element for `in_parts`; most of the time goes to memory."""


def by_rows(
    function: Compute, dtype: np.dtype[Any], overwritten: int | None = None
) -> Compute:
    """Let threads share the rows of an elementwise function that takes ``out=``.

    The result is written over the input `overwritten`, which has its shape.
    """

    def compute(*arrays: Array, **attrs: Any) -> Any:
        largest = max(arrays, key=lambda array: array.size)
        shape, rank = largest.shape, largest.ndim
        if largest.size < LEAST_SIZE or np.broadcast(*arrays).shape != shape:
            return function(*arrays, **attrs)
        result: Array = (
            np.empty(shape, dtype) if overwritten is None else arrays[overwritten]
        )
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
                    values = function(*own, **attrs, out=out)
                if values is not out:
                    out[...] = values
            except (OpError, MemoryError, *FAULTS) as error:
                failed.append(error)

        in_parts(part, shape[0], largest.size * WORK)
        # Called again for the whole array, the function raises its error here.
        return function(*arrays, **attrs) if failed else result

    return compute
