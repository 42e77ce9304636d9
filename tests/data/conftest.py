"""Each test builds in a default graph of its own, and leaves no thread behind."""

import threading

import pytest

import tpuref as tf


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()
    return tf.get_default_graph()


@pytest.fixture(autouse=True)
def threads_end():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
