"""A running system of cores for benchmarks that request one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

import tpuref as tf
from tpuref.tools.benchmarks.system import running_system


@pytest.fixture
def session_of() -> Iterator[Callable[[int], tf.Session]]:
    """Return a function that starts a pool of N cores and returns a session."""
    with contextlib.ExitStack() as stack:
        yield lambda cores: stack.enter_context(running_system(cores))
