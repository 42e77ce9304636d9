"""The public namespaces of tpuref, and what they have.

A module that is one calls `explain_missing`.  It then raises the error of
`tpuref.missing.message` for names that it does not have, whether they are read or
imported.
"""

from __future__ import annotations

import functools
import importlib
import opcode
import sys
from types import FrameType, ModuleType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded

NAMESPACES = {"tpuref": "tf"}
"""The modules that are public namespaces, and what programs call them."""


def explain_missing(module: str, namespace: str, **later: str) -> None:
    """Let a module list its public names only, and say what to do about others.

    Parameters
    ----------
    module
        Its ``__name__``.
    namespace
        What programs call it, such as ``"tf.tpu"``.
    **later
        Names for modules that are slow to import, which is left to the programs that
        read them.
    """
    NAMESPACES[module] = namespace

    def __getattr__(name: str) -> Any:
        if name in later:
            return importlib.import_module(later[name])
        raise missing_attribute(module, name, sys._getframe(1))

    def __dir__() -> list[str]:
        return sorted(public_names(sys.modules[module]))

    members = vars(sys.modules[module])
    members["__getattr__"] = __getattr__
    members["__dir__"] = __dir__
    # With a path, an import of something below asks the finders instead of failing
    # because the module is no package; tpuref.missing.finder answers.
    members.setdefault("__path__", [])


def missing_attribute(
    module: str, name: str, reader: FrameType
) -> AttributeError | ImportError:
    """Return the error for a name that a public namespace does not have.

    Parameters
    ----------
    module
        The ``__name__`` of the namespace.
    name
        The name.
    reader
        The frame that reads the attribute.
    """
    imported = f"{module}.{name}" in sys.modules  # and not an attribute yet
    if name.startswith("_") or imported or _only_probes(reader):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    message = message_about(f"{NAMESPACES[module]}.{name}")
    if _imports(reader):
        # Python would replace the words of an AttributeError by its own.
        return coded(ImportError, message, code=codes.MISSING_NAME, name=module)
    return coded(AttributeError, message, code=codes.MISSING_NAME, name=name)


def message_about(name: str) -> str:
    """Return what is said about a missing name, such as ``"tf.gradients"``."""
    # It knows what tpuref has, so it is imported when tpuref has been.
    text: str = importlib.import_module("tpuref.missing.message").about(name).text
    return text


def _only_probes(reader: FrameType) -> bool:
    """Return whether the import system looks before it tries to import a module."""
    return reader.f_globals.get("__name__") == "importlib._bootstrap"


def _imports(reader: FrameType) -> bool:
    """Return whether a frame is at ``from module import name``."""
    instruction = reader.f_code.co_code[reader.f_lasti]
    return instruction == opcode.opmap["IMPORT_FROM"]


# -- what there is -------------------------------------------------------------


def first_missing(name: str) -> str | None:
    """Return the shortest beginning of a name that tpuref does not have.

    None where it has all of it.  Attributes of values, such as ``float32.name``, are
    not looked at.

    Parameters
    ----------
    name
        The name below ``tf``, such as ``"contrib.tpu.TPUEstimator"``.

    Examples
    --------
    >>> first_missing("contrib.tpu.shard") is None
    True
    >>> first_missing("keras.layers.Dense")
    'keras.layers'
    """
    there, value = _followed(name)
    if there == name or not _is_searched(value):
        return None
    parts = name.split(".")
    return ".".join(parts[: len(there.split(".")) + 1]) if there else parts[0]


def part_there(name: str) -> str:
    """Return as much of a name as tpuref has, without attributes of values.

    Examples
    --------
    >>> part_there("float32.name"), part_there("contrib.slim.conv2d")
    ('float32', 'contrib')
    """
    return _followed(name)[0]


def is_namespace(name: str) -> bool:
    """Return whether tpuref has a module of a name, which can be imported."""
    there, value = _followed(name)
    return there == name and isinstance(value, ModuleType)


def _followed(name: str) -> tuple[str, Any]:
    """Return as much of a name as tpuref has, and what that is."""
    held: Any = sys.modules["tpuref"]
    there: list[str] = []
    for part in filter(None, name.split(".")):
        if not (_is_searched(held) and _has(held, part)):
            break
        there.append(part)
        held = getattr(held, part)
    return ".".join(there), held


def names_below(name: str) -> frozenset[str]:
    """Return what tpuref has in a namespace or class; ``""`` is ``tf``."""
    there, held = _followed(name)
    if there != name:
        return frozenset()
    if isinstance(held, ModuleType):
        return public_names(held)
    return frozenset(n for n in dir(held) if not n.startswith("_"))


def everywhere(last: str) -> list[str]:
    """Return the names of tpuref that end in a name, such as ``tf.tpu.shard``."""
    importlib.import_module("tpuref.api")
    names = [
        f"{namespace}.{last}"
        for module, namespace in NAMESPACES.items()
        if namespace != "tf.compat.v1" and not is_private(namespace.removeprefix("tf."))
        if last in public_names(sys.modules[module])
    ]
    return sorted(names, key=lambda name: (name.count("."), name))


def is_private(name: str) -> bool:
    """Return whether a name is one of TensorFlow's modules that are not documented."""
    return "python" in name.split(".")


@functools.cache
def public_names(module: ModuleType) -> frozenset[str]:
    """Return the names of a public namespace."""
    if module.__name__ == "tpuref":  # loads its names at first use
        module = importlib.import_module("tpuref.api")
    # What a module lists may be loaded at first use.
    names = {*vars(module), *getattr(module, "__all__", ())}
    return frozenset(name for name in names if _is_public(module, name))


def _is_public(module: ModuleType, name: str) -> bool:
    """Return whether a name is more than what the module itself uses."""
    value = vars(module).get(name)
    if isinstance(value, ModuleType):
        return value.__name__ in NAMESPACES
    if name.startswith("_"):
        return False
    listed = getattr(module, "__all__", None)
    return listed is None or name in listed


def _is_searched(value: Any) -> bool:
    """Return whether the names below a value belong to the interface."""
    config = importlib.import_module("tpuref.configuration").config
    return isinstance(value, ModuleType | type) or value is config


def _has(value: Any, name: str) -> bool:
    if name.startswith("_"):
        return hasattr(value, name)
    if isinstance(value, ModuleType):
        return name in public_names(value)
    return name in dir(value)  # hasattr would ask for the message, and that asks here
