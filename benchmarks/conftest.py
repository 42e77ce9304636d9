"""A fresh graph for each benchmark, and a system of cores where one is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

import tpuref as tf
from tpuref.benchmarks.system import running_system


@pytest.fixture
def session_of() -> Iterator[Callable[[int], tf.Session]]:
    """Give a function that starts a pool of so many cores and returns a session."""
    with contextlib.ExitStack() as stack:
        yield lambda cores: stack.enter_context(running_system(cores))
