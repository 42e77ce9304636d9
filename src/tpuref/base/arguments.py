"""Type checks of arguments, whose errors name function and argument."""

import numbers
import operator
import reprlib
from typing import Any, TypeVar

from tpuref.base import error_codes as codes

Wanted = TypeVar("Wanted")


def wrong_type(argument: str, expected: str, value: object) -> TypeError:
    """Return the error for an argument of the wrong type.

    >>> wrong_type("tf.pad: mode", "a string", 8)
    TypeError('tf.pad: mode must be a string, got int 8 [TPUREF-E014]')
    """
    return codes.WRONG_ARGUMENT_TYPE.type_error(
        f"{argument} must be {expected}, got {type(value).__name__} "
        f"{reprlib.repr(value)}"
    )


def instance_of(kind: type[Wanted], argument: str, expected: str, value: Any) -> Wanted:
    """Return an argument that must be an instance of a class."""
    if not isinstance(value, kind):
        raise wrong_type(argument, expected, value)
    return value


def listed(argument: str, value: Any, expected: str = "a list") -> list[Any]:
    """Return the entries of an argument that must be a list or another iterable."""
    try:
        entries = iter(value)
    except TypeError:
        raise wrong_type(argument, expected, value) from None
    return list(entries)


def as_list(value: Any) -> list[Any]:
    """Return the entries of a list or tuple; another value is its only entry."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def hashable(argument: str, expected: str, value: Any) -> Any:
    """Return an argument that must be hashable."""
    try:
        hash(value)
    except TypeError:
        raise wrong_type(argument, expected, value) from None
    return value


def integer(argument: str, value: Any) -> int:
    """Return an argument that must be an integer of Python or NumPy."""
    try:
        return operator.index(value)
    except TypeError:
        raise wrong_type(argument, "an integer", value) from None


def number(argument: str, value: Any) -> float:
    """Return an argument that must be a real number of Python or NumPy."""
    if not isinstance(value, numbers.Real):
        raise wrong_type(argument, "a number", value)
    return float(value)


def check_name(function: str, name: Any) -> None:
    """Raise TypeError unless a name is a string or None."""
    if name is not None and not isinstance(name, str):
        raise wrong_type(f"{function}: name", "a string or None", name)


def name_or(name: Any, default: str) -> str:
    """Return the name of an operation, `default` for None or an empty one."""
    check_name(default, name)
    return name or default
