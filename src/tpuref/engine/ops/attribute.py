"""The attributes of an operation: their names, types and defaults.

They are the keyword-only parameters of the inference rule, so that each is written
down once, and checked wherever an operation is built or received.
"""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

REQUIRED = inspect.Parameter.empty
"""The default of an attribute that has none."""

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Attribute:
    """One attribute: its name, type annotation, type check and default."""

    name: str
    type: Any
    accepts: Check
    default: Any = REQUIRED

    def describe(self) -> str:
        """Return the type as messages show it."""
        return getattr(self.type, "__name__", None) or str(self.type)


def attributes_of(rule: Callable[..., Any]) -> dict[str, Attribute]:
    """Return the attributes of an inference rule, by name."""
    hints = typing.get_type_hints(rule)
    return {
        name: Attribute(name, hints[name], check_for(hints[name]), parameter.default)
        for name, parameter in inspect.signature(rule).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def checked(
    attributes: Mapping[str, Attribute], own: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the attributes with defaults filled in.

    It raises TypeError if one is missing, unknown, or of another type.
    """
    unknown = sorted(own.keys() - attributes.keys())
    if unknown:
        raise TypeError(f"there is no attribute {unknown[0]!r}")
    values = {}
    for name, attribute in attributes.items():
        value = own.get(name, attribute.default)
        if value is REQUIRED:
            raise TypeError(f"the attribute {name!r} is missing")
        if not attribute.accepts(value):
            raise TypeError(
                f"the attribute {name!r} must be of type {attribute.describe()}, got "
                f"{type(value).__name__} {value!r}"
            )
        values[name] = value
    return values


def check_for(hint: Any) -> Check:
    """Return a predicate for values of an annotation."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return lambda value: True
    if origin in (Union, types.UnionType):
        choices = [check_for(choice) for choice in arguments]
        return lambda value: any(check(value) for check in choices)
    if origin is tuple:
        return _check_for_tuple(arguments)
    if origin is Literal:
        return lambda value: value in arguments
    return _check_for_class(origin or hint)


def _check_for_tuple(arguments: tuple[Any, ...]) -> Check:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item = check_for(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(item, value))
    checks = [check_for(argument) for argument in arguments]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(checks)
        and all(check(part) for check, part in zip(checks, value, strict=True))
    )


def _check_for_class(wanted: Any) -> Check:
    """Return a predicate; integers are real numbers too, and NumPy's scalars count."""
    if wanted is bool:
        return lambda value: isinstance(value, (bool, np.bool_))
    if wanted is int:
        return _is_integer
    if wanted is float:
        return lambda value: (
            isinstance(value, (float, np.floating)) or _is_integer(value)
        )
    return lambda value: isinstance(value, wanted)


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
