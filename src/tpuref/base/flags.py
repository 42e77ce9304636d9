"""The names under ``tf.flags``: those of absl.

As in TensorFlow 1, the first read of a flag parses the command line if the program has
not called `tf.app.run`, and a flag may be defined with the older names of arguments.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any

from tpuref.base.extras import optional_module

_OLDER = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class _Flags:
    """The flags of the program, parsed when the first is read."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        flags = _absl().FLAGS
        if not flags.is_parsed():
            flags(sys.argv)
        return getattr(flags, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_absl().FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl().FLAGS, name)

    def __getitem__(self, name: str) -> Any:
        return _absl().FLAGS[name]

    def __iter__(self) -> Any:
        return iter(_absl().FLAGS)

    def __contains__(self, name: str) -> bool:
        return name in _absl().FLAGS

    def __dir__(self) -> list[str]:
        return dir(_absl().FLAGS)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _absl().FLAGS(*args, **kwargs)


FLAGS = _Flags()


def _absl() -> Any:
    return optional_module("absl.flags", "tf.flags", "absl-py")


def _with_older_names(define: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        renamed = {_OLDER.get(name, name): value for name, value in kwargs.items()}
        return define(*args, **renamed)

    return defined


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_absl(), name)
    return _with_older_names(value) if name.startswith("DEFINE_") else value
