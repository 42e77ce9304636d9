"""One core pool for all programs of the same number of cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB


@pytest.fixture(autouse=True)
def fresh_process_state() -> Iterator[None]:
    """Give an empty default graph, and leave the core pool as it is."""
    tf.reset_default_graph()
    yield
    tf.reset_default_graph()


@pytest.fixture(scope="module")
def pool_session() -> Iterator[Callable[[int], Any]]:
    """Open sessions on a pool of so many cores, which the last test left running."""
    LOCAL.reset()
    running: list[Any] = []

    def opened(cores: int) -> Any:
        wanted = [cores, tf.config.processes]
        if running != wanted or LOCAL._systems[LOCAL_JOB].topology is None:
            with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
                session.run(tf.tpu.initialize_system())
            running[:] = wanted
        return tf.Session()

    yield opened
    LOCAL.reset()
