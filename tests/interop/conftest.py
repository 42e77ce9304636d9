"""Both ways to run, for values that come from other libraries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tpuref as tf


@pytest.fixture
def eager() -> Iterator[None]:
    """Run operations at once."""
    with tf.eager_execution():
        yield


@pytest.fixture(params=["lockstep", "pool"])
def executor(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the replicas on each executor in turn."""
    with tf.config.override(executor=request.param):
        yield request.param
