"""Attributes of instructions as protobuf messages: numbers, texts, tuples, arrays."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tpuref.engine.remote.tensors import array_of, malformed, put_array

MAX_DEPTH = 16
"""The greatest nesting depth of tuples, far above what operations use."""

_INT64 = range(-(2**63), 2**63)
_DECIMAL = re.compile(r"-?[0-9]{1,100}")  # bounds the work of int()


def put_attributes(messages: Any, attrs: Mapping[str, Any]) -> None:
    """Append the attributes of an instruction to a field."""
    for name, value in attrs.items():
        message = messages.add()
        message.name = name
        _put(message.value, value, name)


def _put(message: Any, value: Any, name: str) -> None:
    if value is None:
        message.none = True
    elif isinstance(value, (bool, np.bool_)):
        message.truth = bool(value)
    elif isinstance(value, (int, np.integer)):
        _put_integer(message, int(value))
    elif isinstance(value, (float, np.floating)):
        message.real = float(value)
    elif isinstance(value, str):
        message.text = value
    elif isinstance(value, bytes):
        message.octets = value
    elif isinstance(value, np.ndarray):
        put_array(message.tensor, value)
    elif isinstance(value, tuple):
        message.sequence.SetInParent()
        for item in value:
            _put(message.sequence.items.add(), item, name)
    else:
        raise TypeError(
            f"the attribute {name!r} is a {type(value).__name__}, which cannot be sent "
            "to a server"
        )


def _put_integer(message: Any, value: int) -> None:
    if value in _INT64:
        message.integer = value
    else:
        message.large_integer = str(value)


def attributes_of(messages: Iterable[Any]) -> dict[str, Any]:
    """Return the attributes of a field."""
    attrs: dict[str, Any] = {}
    for message in messages:
        if message.name in attrs:
            raise malformed(f"the attribute {message.name!r} occurs twice")
        attrs[message.name] = _value(message.value, message.name, 0)
    return attrs


def _value(message: Any, name: str, depth: int) -> Any:
    kind = message.WhichOneof("kind")
    if depth > MAX_DEPTH:
        raise malformed(f"the tuples of attribute {name!r} are nested too deeply")
    if kind is None:
        raise malformed(f"the attribute {name!r} has no value")
    if kind == "none":
        return None
    if kind == "tensor":
        return array_of(message.tensor)
    if kind == "sequence":
        return tuple(_value(m, name, depth + 1) for m in message.sequence.items)
    if kind == "large_integer":
        if not _DECIMAL.fullmatch(message.large_integer):
            raise malformed(f"the attribute {name!r} is not an integer")
        return int(message.large_integer)
    return getattr(message, kind)
