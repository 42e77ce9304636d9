"""Look up names in tpuref, and names close to them."""

import importlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from tpuref.names import table
from tpuref.names.namespace import is_public, path_of


def first_missing(name: str) -> str | None:
    """Return the shortest beginning of a name that tpuref does not have.

    None where it has all of it.  Attributes of values, such as ``float32.name``, are
    not looked at.

    >>> first_missing("contrib.tpu.shard") is None
    True
    >>> first_missing("keras.layers.Dense")
    'keras.layers'
    """
    there, value = _follow(name)
    if there == name or not _is_searched(value):
        return None
    parts = name.split(".")
    return ".".join(parts[: len(there.split(".")) + 1]) if there else parts[0]


def part_there(name: str) -> str:
    """Return as much of a name as tpuref has, without attributes of values.

    >>> part_there("float32.name"), part_there("contrib.slim.conv3d")
    ('float32', 'contrib.slim')
    """
    return _follow(name)[0]


def is_namespace(name: str) -> bool:
    """Return whether a name is a module that can be imported from tpuref."""
    there, value = _follow(name)
    is_module = there == name and isinstance(value, ModuleType)
    return is_module or table.is_namespace(name)


def _follow(name: str) -> tuple[str, Any]:
    """Return the longest beginning of a name that tpuref has, and its object."""
    held: Any = sys.modules["tpuref"]
    there: list[str] = []
    for part in filter(None, name.split(".")):
        if not (_is_searched(held) and _has(held, part)):
            break
        there.append(part)
        held = getattr(held, part)
    return ".".join(there), held


def names_below(name: str) -> frozenset[str]:
    """Return the public names of a namespace or class; ``""`` is ``tf``."""
    there, held = _follow(name)
    if there != name:
        return frozenset()
    if isinstance(held, ModuleType):
        return public_names(held)
    return frozenset(n for n in dir(held) if not n.startswith("_"))


def everywhere(last: str) -> list[str]:
    """Return the names of tpuref that end in a name, such as ``tf.tpu.shard``."""
    names = [
        ".".join(filter(None, ("tf", path, last)))
        for path in table.namespaces()
        if not path.startswith(("compat.v1", "compat.v2")) and not is_private(path)
        if last in table.names_of(path)
    ]
    return sorted(names, key=lambda name: (name.count("."), name))


def is_private(name: str) -> bool:
    """Return whether a name is one of TensorFlow's modules that are not documented."""
    return not {"python", "core"}.isdisjoint(name.split("."))


def public_names(module: ModuleType) -> frozenset[str]:
    """Return the names of a public namespace."""
    return table.names_of(path_of(module))


def _is_searched(value: Any) -> bool:
    """Return whether the names below a value belong to the interface."""
    config = importlib.import_module("tpuref.engine.configuration").config
    return isinstance(value, ModuleType | type | SimpleNamespace) or value is config


def _has(value: Any, name: str) -> bool:
    if isinstance(value, ModuleType):
        return is_public(value) and _leads_to_names(path_of(value), name)
    if name.startswith("_"):
        return hasattr(value, name)
    return name in dir(value)  # hasattr would ask for the message, and that asks here


def _leads_to_names(path: str, name: str) -> bool:
    """Return whether a name stands for more than a module that has no names."""
    below = f"{path}.{name}".lstrip(".")
    homes = table.homes(path, name)
    return bool(homes) and not (
        homes == (f"tpuref.{below}:",) and table.is_empty(below)
    )
