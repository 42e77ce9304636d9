"""Every test, and every example of a docstring, starts with an empty process state."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

import tpuref as tf
from tpuref.engine.graph.default import fresh_defaults
from tpuref.engine.runtime.system import LOCAL


def pytest_configure() -> None:
    """Let SIGINT interrupt, also where a shell has told a background job not to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def assumed_import(doctest_namespace: dict[str, object]) -> None:
    """Let the examples of docstrings use ``tf``, as NumPy's use ``np``."""
    doctest_namespace["tf"] = tf


@pytest.fixture(autouse=True)
def fresh_process_state() -> Iterator[None]:
    """Give an empty default graph and no TPU system; check what has to be restored.

    Names of TensorFlow 2 switch eager mode on, which ends with the test.
    """
    LOCAL.reset()
    cloud = os.environ.get("GCE_METADATA_HOST")
    with tf.config.override(), fresh_defaults():
        before = repr(tf.config)
        yield
        after = repr(tf.config)
        assert tf.get_default_session() is None, "the test left a session open"
    LOCAL.reset()
    left = os.environ.get("GCE_METADATA_HOST")
    assert left == cloud, "the test left the environment of a FakeCloudTPU"
    assert after == before, "the test changed tf.config: use tf.config.override()"
