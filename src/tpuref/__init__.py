"""tpuref: TensorFlow's documented TPU interface, on CPU cores.

``import tpuref as tf`` instead of ``import tensorflow as tf`` runs TPU programs on an
ordinary computer.  Public names are loaded at first use, so that the processes of the
cores, which need few of them, start fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuref.api import *  # noqa: F403
    from tpuref.version import __version__ as __version__
else:

    def __getattr__(name: str) -> Any:
        if not (name.startswith("__") and name != "__version__"):
            api = importlib.import_module("tpuref.api")
            if hasattr(api, name):
                return getattr(api, name)
        raise AttributeError(f"module 'tpuref' has no attribute {name!r}")

    def __dir__() -> list[str]:
        api = importlib.import_module("tpuref.api")
        return [name for name in dir(api) if not name.startswith("_")]
