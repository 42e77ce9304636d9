"""Each test builds in a default graph of its own, and leaves no thread behind."""

import threading

import pytest


@pytest.fixture(autouse=True)
def threads_end():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
