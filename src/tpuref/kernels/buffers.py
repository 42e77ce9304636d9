"""The flat byte buffers that kernels take, so that any dtype works.

bfloat16 has no format in the buffer protocol; its bytes do.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Buffer: TypeAlias = "npt.NDArray[np.uint8] | memoryview"
"""One-dimensional and contiguous, of unsigned bytes."""

Extents: TypeAlias = "npt.NDArray[np.int64]"
"""The dimensions of a shape: one-dimensional and contiguous."""


def byte_view(array: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """View the memory of a C-contiguous array, not of objects, as flat uint8.

    It raises ValueError if the array is not contiguous: a copy would not be a view of
    its memory.

    >>> byte_view(np.array([1, 258], np.int16)).tolist()
    [1, 0, 2, 1]
    """
    if not array.flags.c_contiguous:
        raise ValueError(
            "byte_view(array): expected a C-contiguous array, got strides "
            f"{array.strides} for shape {array.shape}; numpy.ascontiguousarray "
            "makes one"
        )
    return array.reshape(-1).view(np.uint8)


def flat_bytes(buffer: Buffer, *, writable: bool = False) -> npt.NDArray[np.uint8]:
    """Check a buffer as Cython's typed memoryviews do, and view it as a uint8 array.

    It raises ValueError if the buffer is not flat, contiguous and of bytes, or cannot
    be written to.
    """
    view = buffer if isinstance(buffer, memoryview) else buffer.data
    if view.ndim != 1 or view.format != "B" or not view.c_contiguous:
        raise ValueError(
            "kernels take flat contiguous buffers of unsigned bytes, got format "
            f"{view.format!r} with {view.ndim} dimensions; see buffers.byte_view"
        )
    if writable and view.readonly:
        raise ValueError("the destination is read-only: expected a writable buffer")
    return np.frombuffer(view, np.uint8)
