"""Protocol buffer messages that are declared in Python and created on first use.

They are declared in a separate descriptor pool, so that a process can also import
TensorFlow or TensorBoard.
"""

import functools
import importlib
from collections.abc import Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.extras import optional_module

PACKAGE = "tensorflow"


class MessageType:
    """A class of messages, created on first use.

    `declarations` are the arguments of `message_classes`, `name` is one of them, such
    as ``"Summary.Value"``, and `public` is its public name, for messages.
    """

    def __init__(self, name: str, declarations: tuple[str, ...], public: str) -> None:
        self._name, self._declarations = name, declarations
        self.__doc__ = f"The protocol buffer message ``{name}``."
        self._public = public

    def _class(self) -> Any:
        optional_module("google.protobuf", self._public, "protobuf")
        return message_classes(self._declarations)[self._name]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - a message
        if args:
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"{self._public}: expected fields by name, such as "
                f"{self._public}(field=value), got {len(args)} without a name"
            )
        return self._class()(**kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._class(), name)

    def __instancecheck__(self, value: object) -> bool:
        return hasattr(value, "DESCRIPTOR") and isinstance(value, self._class())

    def __repr__(self) -> str:
        return f"<message type {self._public}>"


@functools.cache
def message_classes(declarations: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the classes of messages by name.

    A declaration has the name of the message, and a line for each field as in a
    ``.proto`` file: ``repeated int64 value = 1``, ``map<string, Feature> feature``,
    ``oneof kind: bytes text = 3``.
    """
    descriptor_pb2, descriptor_pool, message_factory = (
        importlib.import_module(f"google.protobuf.{module}")
        for module in ("descriptor_pb2", "descriptor_pool", "message_factory")
    )
    file = descriptor_pb2.FileDescriptorProto(
        name=f"tpuref/{_name_of(declarations[0])}.proto",
        package=PACKAGE,
        syntax="proto3",
    )
    messages: dict[str, Any] = {}
    names = {_name_of(text) for text in declarations}
    for text in declarations:
        outer, _, name = _name_of(text).rpartition(".")
        holder = messages[outer].nested_type if outer else file.message_type
        messages[_name_of(text)] = message = holder.add(name=name)
        for line in text.strip().splitlines()[1:]:
            _add_field(message, line.strip(), names, _name_of(text))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(
            pool.FindMessageTypeByName(f"{PACKAGE}.{name}")
        )
        for name in messages
    }


def _name_of(text: str) -> str:
    return text.strip().splitlines()[0].strip()


def _add_field(message: Any, line: str, names: set[str], owner: str) -> None:
    """Add the field of one line to a message."""
    one_of, colon, rest = line.partition(": ")
    kind, name, _, number = (rest if colon else line).rsplit(maxsplit=3)
    label, _, kind = kind.rpartition(" ") if "<" not in kind else ("", "", kind)
    field = message.field.add(name=name, number=int(number))
    field.label = field.LABEL_REPEATED if label == "repeated" else field.LABEL_OPTIONAL
    if kind.startswith("map<"):
        field.label = field.LABEL_REPEATED
        kind = _entry(message, name, kind[4:-1], names, owner)
    _set_type(field, kind, names)
    if colon:
        one_of = one_of.removeprefix("oneof ")
        if one_of not in [declared.name for declared in message.oneof_decl]:
            message.oneof_decl.add(name=one_of)
        declared = [declared.name for declared in message.oneof_decl]
        field.oneof_index = declared.index(one_of)


def _entry(message: Any, name: str, kinds: str, names: set[str], owner: str) -> str:
    """Add the entry message of a map; return its name."""
    entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
    entry.options.map_entry = True
    for number, (part, kind) in enumerate(
        zip(("key", "value"), kinds.split(", "), strict=True), 1
    ):
        _set_type(entry.field.add(name=part, number=number, label=1), kind, names)
    full = f"{owner}.{entry.name}"
    names.add(full)
    return full


def _set_type(field: Any, kind: str, names: set[str]) -> None:
    if kind in names:
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{PACKAGE}.{kind}"
    else:
        field.type = field.Type.Value(f"TYPE_{kind.upper()}")
