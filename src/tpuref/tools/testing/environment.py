"""The environment variables of this process, set for the local Cloud TPU service."""

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping

TURN_SECONDS = 60.0
"""The time that a thread waits for another one to leave its block."""

_GOOGLE_METADATA = "google.auth.compute_engine._metadata"
"""This module reads the address of the metadata server when it is imported."""

_TURN = threading.RLock()


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables within a ``with`` block, and restore them after it.

    The variables belong to the whole process, so threads take turns.  Blocks of one
    thread may be nested.  It raises RuntimeError if another thread stays in its block
    for a minute.
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
        _reload_google_client()
        try:
            yield
        finally:
            _restore(before)
            _reload_google_client()
    finally:
        _TURN.release()


def _restore(before: Mapping[str, str | None]) -> None:
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def _reload_google_client() -> None:
    module = sys.modules.get(_GOOGLE_METADATA)
    if module is not None:
        importlib.reload(module)
