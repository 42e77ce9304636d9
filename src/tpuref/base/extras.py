"""Optional packages, imported when a function needs them."""

from __future__ import annotations

import importlib
from types import ModuleType

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded


def optional_module(name: str, function: str, extra: str = "training") -> ModuleType:
    """Return a module of an optional package.

    Examples
    --------
    >>> optional_module("json", "tf.train.Saver").__name__
    'json'
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise coded(
            ImportError,
            f"{function} needs the module {name!r}, which is not installed: "
            f"pip install 'tpuref[{extra}]'",
            code=codes.NOT_INSTALLED,
            name=name,
        ) from error
