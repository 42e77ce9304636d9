"""A warm step: Session.run of a small replicated computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tpuref as tf
from tpuref.benchmarks.step import TARGETS, small_step


@pytest.mark.parametrize("cores", TARGETS)
def test_step(
    benchmark: Any, session_of: Callable[[int], tf.Session], cores: int
) -> None:
    session = session_of(cores)
    benchmark(session.run, small_step(session, cores))
