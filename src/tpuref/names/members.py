"""Attributes that objects of public classes do not have.

A class that programs hold objects of is decorated with `explain_missing_members`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.names.namespace import message_about

Class = TypeVar("Class", bound=type)

CLASSES: dict[type, str] = {}
"""The classes, and their public names."""


def explain_missing_members(name: str) -> Callable[[Class], Class]:
    """Give the objects of a class advice for members that they lack.

    A class that is read itself, as ``tf.data.Dataset.list_files`` is, takes
    `ExplainsMissing` as its metaclass as well.
    """

    def decorate(kind: Class) -> Class:
        CLASSES[kind] = name
        kind.__getattr__ = _missing  # type: ignore[attr-defined]
        return kind

    return decorate


class ExplainsMissing(type):
    """The class of classes that explain missing members themselves."""

    if not TYPE_CHECKING:  # or a checker of types would let every name pass

        def __getattr__(cls, name: str) -> Any:
            raise _missing_member(cls, name)


def _missing(value: Any, name: str) -> Any:
    if hasattr(type(value), name):
        # A property has raised an AttributeError, which Python has dropped by now.
        return object.__getattribute__(value, name)
    raise _missing_member(type(value), name)


def _missing_member(kind: type, name: str) -> AttributeError:
    public = next((CLASSES[base] for base in kind.__mro__ if base in CLASSES), None)
    if public is None or name.startswith("_"):
        return AttributeError(f"{kind.__name__!r} has no attribute {name!r}")
    message = message_about(f"{public}.{name}")
    return coded(AttributeError, message, code=codes.MISSING_NAME, name=name)
