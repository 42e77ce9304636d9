"""The environment variables of this process, set for the local Cloud TPU service."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping

TURN_SECONDS = 60.0
"""How long a thread waits until another one leaves its block."""

_GOOGLE_METADATA = "google.auth.compute_engine._metadata"
"""Google's client reads where the metadata server is when this module is imported."""

_TURN = threading.RLock()


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables within a ``with`` block, and put them back after it.

    The variables belong to the whole process, so that threads take turns; blocks of one
    thread may stand in each other.

    Parameters
    ----------
    variables
        The variables.

    Raises
    ------
    RuntimeError
        If another thread stays in its block for a minute.
    """
    if not _TURN.acquire(timeout=TURN_SECONDS):
        raise RuntimeError(
            "FakeCloudTPU.environment: another thread is in environment() for "
            f"{TURN_SECONDS:g} s; the variables are the whole process's, so share one "
            "service between the threads"
        )
    try:
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        _let_google_read_again()
        try:
            yield
        finally:
            _put_back(before)
            _let_google_read_again()
    finally:
        _TURN.release()


def _put_back(before: Mapping[str, str | None]) -> None:
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def _let_google_read_again() -> None:
    module = sys.modules.get(_GOOGLE_METADATA)
    if module is not None:
        importlib.reload(module)
