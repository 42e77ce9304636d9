"""The executors that can be chosen."""

from __future__ import annotations

from tpuref.engine.configuration import EXECUTORS
from tpuref.engine.runtime.executor import STARTS


def test_each_executor_that_can_be_chosen_can_be_started() -> None:
    assert set(STARTS) == set(EXECUTORS)
