"""Each test builds in a default graph of its own."""

import pytest

import tpuref as tf


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()
    return tf.get_default_graph()
