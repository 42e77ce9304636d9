"""tpuref: TensorFlow's documented TPU interface, on CPU cores.

``import tpuref as tf`` instead of ``import tensorflow as tf`` runs TPU programs on an
ordinary computer.  Public names are loaded at first use, so that the processes of the
cores, which need few of them, start fast.
"""

from __future__ import annotations

import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # type checkers and editors cannot follow names in a circle
    from tpuref.api import *  # noqa: F403, I001
    from tpuref import compat as compat
    from tpuref import contrib as contrib
    from tpuref import core as core
    from tpuref import data as data
    from tpuref import distribute as distribute
    from tpuref import estimator as estimator
    from tpuref import layers as layers
    from tpuref import losses as losses
    from tpuref import metrics as metrics
    from tpuref import optimizers as optimizers
    from tpuref import profiler as profiler
    from tpuref import python as python
    from tpuref import summary as summary
    from tpuref import tpu as tpu
    from tpuref import train as train
    from tpuref.version import __version__ as __version__
else:

    def __getattr__(name: str) -> Any:
        reader = sys._getframe(1)
        if not _is_submodule(name, reader):
            api = importlib.import_module("tpuref.api")
            if hasattr(api, name):
                return getattr(api, name)
        namespaces = importlib.import_module("tpuref.missing.namespaces")
        raise namespaces.missing_attribute(__name__, name, reader)

    def _is_submodule(name: str, reader: Any) -> bool:
        """Return whether to leave a name to the import system.

        All names are not loaded while a module that they need is being imported.
        """
        imports = reader.f_globals.get("__name__") == "importlib._bootstrap"
        loaded = f"{__name__}.{name}" in sys.modules
        return imports or loaded or (name.startswith("_") and name != "__version__")

    def __dir__() -> list[str]:
        api = importlib.import_module("tpuref.api")
        # pytest gives modules of plugins names that are no identifiers.
        return [name for name in dir(api) if name[0] != "_" and name.isidentifier()]

    _loading = threading.local()

    class _Finder:
        """Answers, as the last of all finders, for what is not below ``tpuref``."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            if not name.startswith("tpuref."):
                return None
            if getattr(_loading, "finder", False):  # or the finder would ask itself
                raise ModuleNotFoundError(
                    f"{name} is gone from the installed package; install tpuref again",
                    name=name,
                )
            _loading.finder = True
            try:
                finder = importlib.import_module("tpuref.missing.finder")
            finally:
                _loading.finder = False
            return finder.find_spec(name, sys._getframe(2))

    sys.meta_path.append(_Finder)

    def _show(kind: Any, error: Any, trace: Any, show: Any = sys.excepthook) -> None:
        if not isinstance(error, Exception):  # an import would change the exit status
            show(kind, error, trace)
            return
        tracebacks = importlib.import_module("tpuref.base.tracebacks")
        tracebacks.display(kind, error, trace, show)

    def _show_in_thread(arguments: Any, show: Any = threading.excepthook) -> None:
        tracebacks = importlib.import_module("tpuref.base.tracebacks")
        tracebacks.display_of_thread(arguments, show)

    sys.excepthook, threading.excepthook = _show, _show_in_thread
    if "IPython" in sys.modules:
        notebook = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
        importlib.import_module("tpuref.base.tracebacks").install_in_notebook(notebook)
