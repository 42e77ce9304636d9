"""What an import statement meets that names something below a public namespace."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from types import FrameType, ModuleType

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.missing.namespaces import NAMESPACES, message_about


def find_spec(name: str, asker: FrameType) -> importlib.machinery.ModuleSpec | None:
    """Return how to import a module that no other finder has found.

    A public namespace is one wherever programs see it: ``tpuref.nn`` is `tf.nn`.

    Parameters
    ----------
    name
        The name of the module.
    asker
        The frame in which the import system looks for it.

    Raises
    ------
    ModuleNotFoundError
        Where an import statement names what tpuref does not have, with what to do.
    """
    parent, _, last = name.rpartition(".")
    around = getattr(sys.modules.get(parent), "__name__", parent)
    if around not in NAMESPACES:
        return None
    namespace = f"{NAMESPACES[around]}.{last}"
    value = getattr(sys.modules[parent], last, None)
    if isinstance(value, ModuleType) and value.__name__ in NAMESPACES:
        return importlib.machinery.ModuleSpec(name, Existing(value))
    if asker.f_globals.get("__name__") == "importlib.util":  # only asks whether it is
        return None
    if value is None:
        message = message_about(namespace)
    else:
        message = f"{namespace} is not a module. Use from {parent} import {last}."
    raise coded(ModuleNotFoundError, message, code=codes.MISSING_NAME, name=name)


class Existing(importlib.abc.Loader):
    """Import a module that exists, under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module with the one that exists."""
        spec = module.__spec__
        assert spec is not None
        sys.modules[spec.name] = self._module
