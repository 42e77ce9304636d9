"""Default arguments of functions within a block: ``tf.contrib.framework``."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type

Scope = Mapping[str, Mapping[str, Any]]
"""The arguments of each function, by its key."""

_CURRENT: ContextVar[Scope] = ContextVar("arg_scope", default={})  # noqa: B039
_KEY = "_key_op"


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that `arg_scope` may give default arguments.

    Examples
    --------
    >>> @tf.contrib.framework.add_arg_scope
    ... def power(x, exponent=1):
    ...     return x**exponent
    >>> with tf.contrib.framework.arg_scope([power], exponent=3):
    ...     power(2), power(2, exponent=2)
    (8, 4)
    """
    if not callable(func):
        raise wrong_type("tf.contrib.framework.add_arg_scope: func", "a function", func)
    name = getattr(func, "__qualname__", type(func).__qualname__)
    key = f"{func.__module__}.{name}@{id(func):x}"

    @functools.wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**_CURRENT.get().get(key, {}), **kwargs})

    setattr(scoped, _KEY, key)
    return scoped


def has_arg_scope(func: Any) -> bool:
    """Return whether `arg_scope` may give a function default arguments."""
    return hasattr(func, _KEY)


@contextlib.contextmanager
def arg_scope(
    list_ops_or_scope: Sequence[Callable[..., Any]] | Scope, **kwargs: Any
) -> Iterator[Scope]:
    """Give functions default arguments within the block; inner ones replace outer ones.

    `list_ops_or_scope` are functions decorated with `add_arg_scope`, or the result of
    another `arg_scope`, which replaces the defaults outside the block.  `**kwargs` are
    the arguments.  It raises ValueError if a function is not decorated, or a scope
    comes with arguments, and TypeError if it is neither a list of functions nor a
    scope.
    """
    function = "tf.contrib.framework.arg_scope"
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"{function}: got a scope and the arguments {', '.join(kwargs)}; enter "
                "the scope first, and the arguments in an arg_scope inside it"
            )
        scope: Scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = _add_defaults(_CURRENT.get(), list_ops_or_scope, kwargs)
    else:
        raise wrong_type(
            f"{function}: list_ops_or_scope",
            "a list of functions or a scope",
            list_ops_or_scope,
        )
    token = _CURRENT.set(scope)
    try:
        yield scope
    finally:
        _CURRENT.reset(token)


def _add_defaults(scope: Scope, functions: Sequence[Any], defaults: Any) -> Scope:
    extended = dict(scope)
    for one in functions:
        if not has_arg_scope(one):
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"tf.contrib.framework.arg_scope: {getattr(one, '__name__', one)} is "
                "not decorated with tf.contrib.framework.add_arg_scope"
            )
        key = getattr(one, _KEY)
        extended[key] = {**extended.get(key, {}), **defaults}
    return extended
