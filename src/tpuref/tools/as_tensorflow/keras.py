"""The real Keras 3 as ``tf.keras``, on its TensorFlow backend.

Keras's modules alone see tpuref as ``tensorflow``: they are executed with a built-in
``__import__`` of their own.  Nothing of this stands in `sys.modules`, so that all other
modules import the TensorFlow that is installed, or none.  A process has either Keras on
tpuref or a real TensorFlow.
"""

import builtins
import importlib
import importlib.metadata
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.release import behavior
from tpuref.engine.graph.default import begin_eagerly, executing_eagerly, init_scope
from tpuref.names.namespace import Existing
from tpuref.tools.as_tensorflow import name_in_tpuref

PUBLIC = "keras._tf_keras.keras"
"""The module of Keras that TensorFlow shows as ``tf.keras``."""

BACKEND = "keras.src.backend.tensorflow"

OLDEST = (3, 15)


def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
    """Return the spec of ``keras``, of ``tpuref.keras``, or of a module below them.

    None leaves the module to the other finders: where Keras is not installed, where it
    belongs to a real TensorFlow that was imported before, and in a program that builds
    graphs, which has what tpuref itself has of ``tf.keras``.
    """
    if name.startswith("keras"):
        return _spec_of_keras(name, path)
    if not is_installed() or _builds_graphs():
        return None
    _refuse_other_keras()
    below = name.removeprefix("tpuref.keras")
    return Existing(importlib.import_module(PUBLIC + below)).spec(name)


def is_installed() -> bool:
    """Return whether the installed Keras, if any, is one that tpuref can run."""
    try:
        version = importlib.metadata.version("keras")
    except importlib.metadata.PackageNotFoundError:
        return False
    return OLDEST <= tuple(map(int, version.split(".")[:2])) < (4,)


def _spec_of_keras(name: str, path: Any) -> ModuleSpec | None:
    if not _is_ours(sys.modules.get("keras")) and name != "keras":
        return None
    if name == "keras" and (_real_tensorflow() is not None or not is_installed()):
        return None
    spec = PathFinder.find_spec(name, path)
    if spec is not None and type(spec.loader) is SourceFileLoader:
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
    return spec


class _Loader(SourceFileLoader):
    """Executes a module of Keras with tpuref as its ``tensorflow``."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module."""
        if module.__name__ == "keras":
            sys.meta_path.insert(0, _RefusesTensorFlow)
        if module.__name__ == BACKEND:
            _begin()
        vars(module)["__builtins__"] = _BUILTINS
        super().exec_module(module)


def _import(
    name: str,
    globals: Any = None,
    locals: Any = None,
    fromlist: Any = (),
    level: int = 0,
) -> Any:
    """Import for a module of Keras."""
    if name == "importlib" and not level and not fromlist:
        return _IMPORTLIB
    ours = name if level else name_in_tpuref(name) or name
    return builtins.__import__(ours, globals, locals, fromlist, level)


def _import_module(name: str, package: str | None = None) -> ModuleType:
    return importlib.import_module(name_in_tpuref(name) or name, package)


_BUILTINS = {**vars(builtins), "__import__": _import}
_IMPORTLIB = ModuleType("importlib", importlib.__doc__)
vars(_IMPORTLIB).update(vars(importlib), import_module=_import_module)


def _begin() -> None:
    """Behave as TensorFlow 2 does; Keras has no graph mode."""
    if _builds_graphs():
        raise codes.WRONG_MODE.runtime_error(
            "tf.keras is Keras 3, which needs TensorFlow 2's eager mode, but this "
            "program builds graphs; call tf.enable_v2_behavior() at its start"
        )
    if behavior.release == 1:  # tf.enable_eager_execution alone keeps names of 1.x
        behavior.follow(2, implicit=True)


def _builds_graphs() -> bool:
    begin_eagerly()
    with init_scope():
        return not executing_eagerly()


# -- one TensorFlow in a process -----------------------------------------------


def _is_ours(module: ModuleType | None) -> bool:
    return isinstance(getattr(module, "__loader__", None), _Loader)


def _real_tensorflow() -> ModuleType | None:
    module = sys.modules.get("tensorflow")
    return None if module is sys.modules["tpuref"] else module


def _refuse_other_keras() -> None:
    """Raise ImportError if Keras, or all of TensorFlow, was imported before."""
    tensorflow, keras = _real_tensorflow(), sys.modules.get("keras")
    if tensorflow is not None:
        cause = f"TensorFlow from {getattr(tensorflow, '__file__', None)}"
    elif keras is not None and not _is_ours(keras):
        cause = "keras before tpuref"
    else:
        return
    raise coded(
        ImportError,
        f"tf.keras cannot run on tpuref, because this process has imported {cause}; "
        "import tpuref before keras, and do not import TensorFlow",
        code=codes.TENSORFLOW_LOADED,
        name="tpuref.keras",
    )


class _RefusesTensorFlow:
    """The finder that keeps a real TensorFlow away from Keras on tpuref."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Raise ImportError for ``tensorflow``, unless that means tpuref."""
        if name == "tensorflow" and _is_ours(sys.modules.get("keras")):
            raise coded(
                ImportError,
                "import tensorflow: Keras runs on tpuref in this process, and its "
                "models know no other TensorFlow; import tpuref as tf, or start the "
                "program with tpuref run --as-tensorflow",
                code=codes.TENSORFLOW_LOADED,
                name=name,
            )
