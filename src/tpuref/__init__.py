"""tpuref: TensorFlow's documented TPU interface, on CPU cores.

``import tpuref as tf`` instead of ``import tensorflow as tf`` runs TPU programs on an
ordinary computer.  Public names are loaded at first use, so that the processes of the
cores, which need few of them, start fast.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading

# The threads of OpenBLAS spin for 27 ms after a product of matrices, and take the
# processors from those of other kernels. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")

TYPE_CHECKING = False  # half of the time of this import would be that of typing
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    reader = sys._getframe(1)
    if f"{__name__}.{name}" in sys.modules:  # this thread, or another, imports it now
        return importlib.import_module(f"{__name__}.{name}")
    if _is_submodule(name, reader):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _names().value_of(sys.modules[__name__], name, reader)


def _is_submodule(name: str, reader: Any) -> bool:
    """Return whether to leave a name to the import system, without reading lists."""
    if name.startswith("_") and name not in _UNDERSCORED:
        return True
    probes = reader.f_globals.get("__name__") == "importlib._bootstrap"
    file = os.path.join(__path__[0], name)
    return probes and (os.path.isdir(file) or os.path.isfile(f"{file}.py"))


_UNDERSCORED = ("__all__", "__internal__", "__version__")
_loading = threading.local()


def __dir__() -> list[str]:
    return sorted(_names().table.names_of(""))


def _names() -> Any:
    # The processes of the cores need no names.
    return importlib.import_module("tpuref.names.namespace")


class _Finder:
    """Finds, as the last finder, modules that are not below ``tpuref``."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith("tpuref."):
            return None
        if getattr(_loading, "names", False):  # or the finder would ask itself
            raise ModuleNotFoundError(
                f"{name} is gone from the installed package; install tpuref again",
                name=name,
            )
        _loading.names = True
        try:
            names = _names()
        finally:
            _loading.names = False
        return names.find_spec(name, sys._getframe(2))


class _KerasFinder:
    """Answers, as the first of all finders, for Keras and for ``tf.keras``."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(("keras", "tpuref.keras")):
            return None
        if name.removeprefix("tpuref.").partition(".")[0] != "keras":
            return None
        keras = importlib.import_module("tpuref.tools.as_tensorflow.keras")
        return keras.find_spec(name, path, target)


sys.meta_path.append(_Finder)
sys.meta_path.insert(0, _KerasFinder)


def _show(kind: Any, error: Any, trace: Any, show: Any = sys.excepthook) -> None:
    if not isinstance(error, Exception):  # an import would change the exit status
        show(kind, error, trace)
        return
    importlib.import_module("tpuref.base.tracebacks").display(kind, error, trace, show)


def _show_in_thread(arguments: Any, show: Any = threading.excepthook) -> None:
    importlib.import_module("tpuref.base.tracebacks").display_of_thread(arguments, show)


sys.excepthook, threading.excepthook = _show, _show_in_thread
if "IPython" in sys.modules:
    notebook = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    importlib.import_module("tpuref.base.tracebacks").install_in_notebook(notebook)
