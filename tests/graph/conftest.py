"""Each test builds in a default graph of its own."""

from __future__ import annotations

import pytest

import tpuref as tf


@pytest.fixture(autouse=True)
def graph() -> tf.Graph:
    tf.reset_default_graph()
    return tf.get_default_graph()
