"""The line of the user's program that built an object."""

import contextlib
import linecache
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_TPUREF = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_THREADS = os.path.abspath(threading.__file__)
_CONTEXTS = os.path.abspath(contextlib.__file__)
_KERAS = os.path.join("site-packages", "keras", "src", "")


@dataclass(frozen=True)
class CallSite:
    """A line of the user's program, in a function or ``<module>``.

    `text` is the text of the line if it came from another process, otherwise None.
    """

    filename: str
    line: int
    function: str
    text: str | None = None

    @property
    def code(self) -> str:
        """The text of the line, empty if the source cannot be read."""
        if self.text is not None:
            return self.text
        return linecache.getline(self.filename, self.line).strip()

    def __str__(self) -> str:
        place = f"{self.filename}:{self.line} in {self.function}"
        return f"{place}: {self.code}" if self.code else place


class _Origin(threading.local):
    site: CallSite | None = None


_origin = _Origin()


@contextlib.contextmanager
def started_at(site: CallSite) -> Iterator[None]:
    """Set the user's line that this thread works for, within a ``with`` block."""
    before, _origin.site = _origin.site, site
    try:
        yield
    finally:
        _origin.site = before


def user_site() -> CallSite:
    """Return the innermost frame that is not tpuref's, Keras's, NumPy's or Python's.

    A thread of tpuref has no such frame; return the line that it works for.
    """
    frame = sys._getframe(1)
    while is_library(frame.f_code.co_filename):
        if frame.f_back is None:
            if _origin.site is not None:
                return _origin.site
            break
        frame = frame.f_back
    return CallSite(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


@lru_cache(maxsize=1024)
def is_tpuref(filename: str) -> bool:
    """Return whether a source file is tpuref's."""
    return os.path.abspath(filename).startswith(_TPUREF)


@lru_cache(maxsize=1024)
def is_library(filename: str) -> bool:
    """Return whether a source file is tpuref's, Keras's, NumPy's or Python's."""
    if filename.startswith("<frozen") or _KERAS in filename:
        return True
    return os.path.abspath(filename).startswith((_TPUREF, _NUMPY, _THREADS, _CONTEXTS))
