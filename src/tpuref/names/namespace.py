"""Modules that are made from the table; their names are imported at first use."""

import importlib
import importlib.abc
import importlib.machinery
import logging
import opcode
import sys
from types import FrameType, ModuleType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.release import behavior
from tpuref.names import table

PACKAGE = "tpuref"


class Namespace(ModuleType):
    """A public module."""

    def __getattr__(self, name: str) -> Any:
        return value_of(self, name, sys._getframe(1))

    def __dir__(self) -> list[str]:
        return sorted(table.names_of(path_of(self)))


def attach(package: str) -> None:
    """Make a package the namespace of its name."""
    module = sys.modules[package]
    _forget(module)
    module.__class__ = Namespace
    module.__path__ = []  # a folder of stubs is no package to the import system


def _forget(module: ModuleType) -> None:
    """Drop the names that were read, when the module is loaded again."""
    for name in table.names_of(path_of(module)) & vars(module).keys():
        del vars(module)[name]


def path_of(module: ModuleType) -> str:
    """Return the path of a namespace below ``tf``.

    >>> path_of(tf), path_of(tf.compat.v1.nn)
    ('', 'compat.v1.nn')
    """
    return module.__name__.partition(".")[2]


def is_public(module: object) -> bool:
    """Return whether a module is a namespace."""
    return isinstance(module, Namespace) or module is sys.modules[PACKAGE]


def value_of(module: ModuleType, name: str, reader: FrameType) -> Any:
    """Return the object of a public name.

    It raises AttributeError or ImportError if the name is absent; the message says what
    to do.
    """
    path = path_of(module)
    if name == "__all__":
        return sorted(n for n in table.names_of(path) if not n.startswith("_"))
    homes = table.homes(path, name)
    if not homes:
        if path in _KERAS_IN_2 and not name.startswith("_"):
            keras = load(table.homes("", path)[1])
            if name in dir(keras):
                return getattr(keras, name)
        raise missing_attribute(module.__name__, name, reader)
    if len(homes) > 1:
        return load(homes[_release_for(module.__name__, name) - 1])
    value = vars(module)[name] = load(homes[0])
    return value


_KERAS_IN_2 = ("losses", "metrics")
"""Namespaces of 1.x that are Keras's in 2.x; those of ``tf`` have all names of 1.x, and
Keras's besides, until the program chooses 2.x."""


def _release_for(module: str, name: str) -> int:
    """Return the release that a name means now; log it once if nobody has chosen."""
    if behavior.implicit and module == PACKAGE and name in _KERAS_IN_2:
        return 1
    if behavior.implicit and not behavior.noted:
        behavior.noted = True
        logging.getLogger(__name__).info(
            "%s and other names that differ between releases mean TensorFlow 2, "
            "because the program uses names that only TensorFlow 2 has; tf.compat.v1 "
            "has those of TensorFlow 1",
            f"{module}.{name}".replace(PACKAGE, "tf", 1),
        )
    return behavior.release


def load(home: str) -> Any:
    """Import the module of a home and return its object."""
    module, _, name = home.partition(":")
    loaded = importlib.import_module(module)
    if not name:
        return loaded
    try:
        return getattr(loaded, name)
    except AttributeError:
        if not hasattr(loaded, "__path__"):
            raise
        return importlib.import_module(f"{module}.{name}")  # such as unittest.mock


# -- names that are absent -----------------------------------------------------


def missing_attribute(
    module: str, name: str, reader: FrameType
) -> AttributeError | ImportError:
    """Return the error for a name that a public namespace does not have."""
    imported = f"{module}.{name}" in sys.modules  # and not an attribute yet
    # The import system looks before it tries to import a module.
    probes = reader.f_globals.get("__name__") == "importlib._bootstrap"
    if name.startswith("_") or imported or probes:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    message = message_about(f"{module}.{name}".replace(PACKAGE, "tf", 1))
    if _imports(reader):
        # Python would replace the words of an AttributeError by its own.
        return coded(ImportError, message, code=codes.MISSING_NAME, name=module)
    return coded(AttributeError, message, code=codes.MISSING_NAME, name=name)


def message_about(name: str) -> str:
    """Return the message about a missing name, such as ``"tf.gradients"``."""
    # It needs difflib and the table of releases, which few programs meet.
    text: str = importlib.import_module("tpuref.names.message").about(name).text
    return text


def _imports(reader: FrameType) -> bool:
    """Return whether a frame is at ``from module import name``."""
    return reader.f_code.co_code[reader.f_lasti] == opcode.opmap["IMPORT_FROM"]


# -- imports -------------------------------------------------------------------


def find_spec(name: str, asker: FrameType) -> importlib.machinery.ModuleSpec | None:
    """Return the import spec of a namespace.

    It raises ModuleNotFoundError if an import statement names a module that is absent;
    the message has the way out.
    """
    parent, _, last = name.rpartition(".")
    if not is_public(sys.modules.get(parent)):
        return None
    # A namespace of one name may lie elsewhere: tpuref.app.flags is tpuref.flags.
    parent_path = path_of(sys.modules[parent])
    homes = table.homes(parent_path, last)
    module, _, value = homes[0].partition(":") if homes else ("", "", "")
    if module == name and not value:
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)
    if module and not value:
        return Existing(importlib.import_module(module)).spec(name)
    if asker.f_globals.get("__name__") == "importlib.util":  # only asks whether it is
        return None
    path = f"tf.{parent_path}.{last}".replace("..", ".")
    if value:
        message = f"{path} is not a module. Use from {parent} import {last}."
    else:
        message = message_about(path)
    raise coded(ModuleNotFoundError, message, code=codes.MISSING_NAME, name=name)


class _Loader(importlib.abc.Loader):
    """Makes a namespace of the table."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Namespace:
        """Return the module; its lists are read at the first use."""
        return Namespace(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Describe it, or let go of its names when it is loaded again."""
        _forget(module)
        module.__doc__ = table.documentation(path_of(module))


class Existing(importlib.abc.Loader):
    """Import a module that exists, under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def spec(self, name: str) -> importlib.machinery.ModuleSpec:
        """Return the spec of the other name, with the files of the module."""
        file, path = (vars(self._module).get(at) for at in ("__file__", "__path__"))
        spec = importlib.machinery.ModuleSpec(name, self, origin=file)
        spec.submodule_search_locations = path
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module with the one that exists."""
        spec = module.__spec__
        assert spec is not None
        sys.modules[spec.name] = self._module
