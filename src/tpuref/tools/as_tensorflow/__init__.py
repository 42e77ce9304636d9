"""``import tensorflow`` means tpuref, in this process and its children.

Programs that are written for TensorFlow then run as they are.
"""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.names.namespace import Existing, is_public, message_about

PACKAGES = {
    "tensorflow": "tpuref",
    "tensorflow_estimator": "tpuref.estimator",
    "tensorflow_estimator.python": "tpuref.python",
}
"""The packages that programs import, and the meaning of each."""

NOTE = "In this process, import tensorflow means tpuref (--as-tensorflow)."

_CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")


SETTING = "TPUREF_AS_TENSORFLOW"
"""The variable of the environment with the release, which child processes inherit."""


def install(release: int | None = None) -> None:
    """Let ``import tensorflow`` mean tpuref from here on, also in child processes.

    `release`, 1 or 2, is the TensorFlow that the program starts as, by default that of
    the environment.  ImportError if the real TensorFlow was imported before.
    """
    refuse_if_loaded()
    _start_as(release_in_environment() if release is None else release)
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Finder())
    sys.modules["tensorflow"] = importlib.import_module("tpuref")
    sys.path.insert(0, _CHILDREN)  # processes of multiprocessing get this path
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _CHILDREN not in path:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_CHILDREN, *path]))
    _end_tracebacks_with_the_note()


def release_in_environment() -> int | None:
    """Return the release that `SETTING` names, None where it is not set."""
    value = os.environ.get(SETTING, "")
    if value not in ("", "1", "2"):
        raise codes.INVALID_SETTING.value_error(
            f"{SETTING}: expected 1 or 2, got {value!r}"
        )
    return int(value) if value else None


def _start_as(release: int | None) -> None:
    """Behave as a release of TensorFlow does at the start of a program."""
    if release is None:
        return
    os.environ[SETTING] = str(release)
    default = importlib.import_module("tpuref.engine.graph.default")
    if release == 2:
        default.enable_v2_behavior()
    else:
        default.disable_v2_behavior()


def refuse_if_loaded() -> None:
    """Raise ImportError if this process has imported the real TensorFlow."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    for package in PACKAGES:
        module = sys.modules.get(package)
        if module is not None:
            raise coded(
                ImportError,
                f"import {package} cannot mean tpuref, because this process has already"
                f" imported it from {getattr(module, '__file__', None)}; ask for tpuref"
                " before anything imports TensorFlow, or import tpuref as tf",
                code=codes.TENSORFLOW_LOADED,
                name=package,
            )


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of TensorFlow among those of tpuref."""

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        ours = name_in_tpuref(name)
        if ours is None:
            return None
        module = importlib.import_module(ours)
        if not is_public(module) and not module.__name__.startswith("keras."):
            message = message_about(ours.replace("tpuref", "tf", 1))
            raise coded(
                ModuleNotFoundError, message, code=codes.MISSING_NAME, name=name
            )
        return importlib.machinery.ModuleSpec(name, Existing(module))


def name_in_tpuref(name: str) -> str | None:
    """Return the module of tpuref for one of TensorFlow's, None for those of others.

    >>> name_in_tpuref("tensorflow.keras"), name_in_tpuref("numpy")
    ('tpuref.keras', None)
    """
    for package in sorted(PACKAGES, key=len, reverse=True):
        if name == package or name.startswith(f"{package}."):
            return PACKAGES[package] + name.removeprefix(package)
    return None


def _end_tracebacks_with_the_note() -> None:
    show = sys.excepthook

    def show_with_note(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        show(kind, error, trace)
        if isinstance(error, Exception):
            print(NOTE, file=sys.stderr)

    sys.excepthook = show_with_note
