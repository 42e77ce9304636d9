"""Calls with a keyword that a function does not have."""

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tpuref.base import error_codes as codes

P = ParamSpec("P")
R = TypeVar("R")


def suggests_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Name the closest parameter when `function` is called with an unknown keyword.

    >>> @suggests_keywords
    ... def shard(num_shards=1):
    ...     return num_shards
    >>> shard(shards=8)
    Traceback (most recent call last):
    TypeError: shard() has no argument 'shards'; did you mean num_shards? [TPUREF-E025]
    """
    signature = inspect.signature(function)
    names = signature.parameters.keys()

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs.keys() - names:
            close = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}" if close else f"it has {', '.join(names)}"
            raise codes.WRONG_COUNT.type_error(
                f"{function.__name__}() has no argument {name!r}; {hint}"
                + ("?" if close else "")
            )
        return function(*args, **kwargs)

    checked.__signature__ = signature  # type: ignore[attr-defined]  # getfullargspec's
    return checked
