"""A running pool of cores for the benchmarks, and a fresh graph for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tpuref as tf


@pytest.fixture
def session_of() -> Iterator[Callable[[int], Any]]:
    """Give a function that starts a pool of so many cores and returns a session."""
    with tf.Graph().as_default():
        started: list[Any] = []

        def start(cores: int) -> Any:
            setting = tf.config.override(cores=cores, executor="pool")
            setting.__enter__()
            started.append(setting)
            session = tf.Session()
            session.run(tf.tpu.initialize_system())
            return session

        yield start
        tf.Session().run(tf.tpu.shutdown_system())
        for setting in started:
            setting.__exit__(None, None, None)
