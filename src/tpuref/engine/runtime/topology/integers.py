"""Checks of whole numbers that the user gives."""

import operator
import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.base import error_codes as codes

Int32Array = npt.NDArray[np.int32]


def as_int32(name: str, value: npt.ArrayLike) -> Int32Array:
    """Copy whole numbers into a read-only int32 array.

    They are integers, or floating-point numbers without a fraction, of any shape;
    messages call them `name`.  It raises ValueError if a value is not a whole number
    within int32, or the nesting is ragged.

    >>> as_int32("computation_shape", [1.0, 1.0, 2.0])
    array([1, 1, 2], dtype=int32)
    """
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise _not_int32(name, value) from error
    if array.size and not _whole_numbers(array):
        raise _not_int32(name, value)
    copy = array.astype(np.int32)
    copy.flags.writeable = False
    return copy


def as_integer(name: str, value: int) -> int:
    """Convert a value that acts as an integer, such as a NumPy integer, to an int.

    Messages call it `name`.  It raises TypeError for other values, such as a
    floating-point number.

    >>> as_integer("num_replicas", np.int32(2))
    2
    """
    try:
        return operator.index(value)
    except TypeError as error:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{name} must be an integer, got {value!r}"
        ) from error


def _whole_numbers(array: npt.NDArray[Any]) -> bool:
    if array.dtype.kind not in "iuf":
        return False
    limits = np.iinfo(np.int32)
    whole = (array >= limits.min) & (array <= limits.max) & (np.trunc(array) == array)
    return bool(whole.all())


def _not_int32(name: str, value: object) -> ValueError:
    return codes.WRONG_ARGUMENT_TYPE.value_error(
        f"{name} must be a regular array of whole numbers within int32, "
        f"got {reprlib.repr(value)}"
    )
