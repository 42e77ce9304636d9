"""Servers for the tests of remote sessions."""

import pytest

import tpuref as tf


@pytest.fixture
def server():
    """A server of the job worker, with a system of two cores."""
    with tf.config.override(cores=2):
        server = tf.train.Server({"worker": ["localhost:0"]})
        yield server
        server.stop()
