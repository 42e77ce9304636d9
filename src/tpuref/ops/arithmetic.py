"""The arithmetic that families of operations share: IEEE results, float32 sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import ml_dtypes
import numpy as np

from tpuref.base.errors import InvalidArgumentError
from tpuref.ops.definition import Array, Compute

_NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def ieee(function: Callable[..., Any]) -> Compute:
    """Return `function` as a compute rule.

    Division by zero, overflow and the like give what IEEE 754 says, without a
    warning; scalars come out as arrays; and shapes that do not fit, which a rule of
    inference cannot see while they are unknown, raise InvalidArgumentError.
    """

    @wraps(function)
    def compute(*arrays: Array, **attrs: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                result = function(*arrays, **attrs)
        except ValueError as error:
            given = ", ".join(describe(array) for array in arrays)
            raise InvalidArgumentError(f"{error} (inputs: {given})") from None
        if isinstance(result, tuple):
            return tuple(np.asarray(part) for part in result)
        return np.asarray(result)

    return compute


def describe(array: Array) -> str:
    """Return the short form of an array for a message, such as ``float32[2,3]``."""
    return f"{array.dtype.name}[{','.join(map(str, array.shape))}]"


def widened(array: Array) -> Array:
    """Return float16 and bfloat16 as float32, in which they accumulate."""
    return array.astype(np.float32) if array.dtype in _NARROW else array


def is_integer(array: Array) -> bool:
    """Whether the elements are integers, signed or not."""
    return array.dtype.kind in "iu"
