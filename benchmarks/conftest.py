"""A running system of cores for benchmarks that request one."""

import contextlib

import pytest

from tpuref.tools.benchmarks.system import running_system


@pytest.fixture
def session_of():
    """Return a function that starts a pool of N cores and returns a session."""
    with contextlib.ExitStack() as stack:
        yield lambda cores: stack.enter_context(running_system(cores))
