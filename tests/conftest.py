"""What tests of several folders share."""

import os
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import tpuref as tf
import tpuref.engine.graph.session
from tpuref.engine.graph import target
from tpuref.engine.runtime.executor import STARTS
from tpuref.engine.runtime.pool.host.pool import CorePool

Evaluate = Callable[..., Any]

# Within this process tests ask for the meaning of programs, unless the environment asks
# for the pool, as it does for tests/tpu in turn; tests of the pool itself say so.
if "TPUREF_EXECUTOR" not in os.environ:
    tf.config.executor = "lockstep"


class KeptCores(CorePool):
    """Cores that wait for the next test with the same settings, if they are sound."""

    waiting: ClassVar[dict[str, CorePool]] = {}

    @classmethod
    def start(cls, cores):
        kept = cls.waiting.pop(_settings(cores), None)
        return kept if kept is not None and kept.is_sound() else cls(cores)

    def __init__(self, cores):
        super().__init__(cores)
        self._key = _settings(cores)

    def close(self):
        if self._key in self.waiting or not self.is_sound():
            super().close()
            return
        self.waiting[self._key] = self
        if len(self.waiting) > 4:  # so that idle processes do not pile up
            CorePool.close(self.waiting.pop(next(iter(self.waiting))))


def _settings(cores):
    return f"{cores} {tf.config!r}"


@pytest.fixture(autouse=True)
def kept_cores(request, monkeypatch):
    """Do not start the pool for each test; starting takes longer than most of them.

    Some folders test how cores begin and end.
    """
    if request.path.parent.name not in {"crashes", "docs", "profiler", "runtime"}:
        monkeypatch.setitem(STARTS, "pool", KeptCores.start)


@pytest.fixture(autouse=True)
def served(monkeypatch):
    """With TPUREF_TEST_TARGET=grpc, run every local session on a server instead."""
    if os.environ.get("TPUREF_TEST_TARGET") != "grpc":
        yield
        return
    server = tf.train.Server({"localhost": ["localhost:0"]})

    def target_of(given, function):
        return server.target if given == "" else target.target_of(given, function)

    monkeypatch.setattr(tpuref.engine.graph.session, "target_of", target_of)
    yield
    server.stop()


@pytest.fixture(name="tf")
def module():
    """The module, with a new graph, for tests written as clauses are."""
    with tf.Graph().as_default():
        yield tf


@pytest.fixture
def graph():
    """The default graph, which is empty at the start of each test."""
    return tf.get_default_graph()


@pytest.fixture
def short_waits():
    """End waits after 20 s."""
    with tf.config.override(timeout=20.0):
        yield


@pytest.fixture
def eager():
    """Run operations at once."""
    with tf.eager_execution():
        yield


@pytest.fixture
def strategy_of():
    """A function that gives a strategy of so many towers."""

    def of(towers):
        local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        return tf.contrib.distribute.TPUStrategy(local, 2, num_cores=towers)

    return of


@pytest.fixture
def session():
    """A session of the default graph."""
    with tf.Session() as opened:
        yield opened


@pytest.fixture
def evaluate(session):
    """Evaluate fetches in one session, variables initialised at the first call."""
    started = []

    def run(fetches, feed_dict=None):
        if not started:
            session.run(tf.global_variables_initializer())
            started.append(True)
        return session.run(fetches, feed_dict)

    return run


@pytest.fixture
def traced(session):
    """Evaluate fetches and return their values and what ran on which core."""

    def run(fetches, feed_dict=None):
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        return session.run(fetches, feed_dict, options, metadata), metadata.core_trace

    return run
