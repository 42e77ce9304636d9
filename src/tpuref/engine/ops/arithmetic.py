"""Shared arithmetic: accumulation of 16-bit floats in float32."""

import ml_dtypes
import numpy as np

from tpuref.engine.ops.meaning import Array

_NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def widened(array: Array) -> Array:
    """Return float16 and bfloat16 arrays as float32, the dtype of accumulation."""
    return array.astype(np.float32) if array.dtype in _NARROW else array


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, signed or not."""
    return array.dtype.kind in "iu"
