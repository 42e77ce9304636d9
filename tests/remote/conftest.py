"""Servers for the tests of remote sessions."""

import pytest

import tpuref as tf


def answers(target):
    """Whether a session on that target runs a graph."""
    with tf.Graph().as_default():
        try:
            with tf.Session(target) as session:
                return bool(session.run(tf.constant(6) * 7) == 42)
        except tf.errors.UnavailableError:
            return False


@pytest.fixture
def server():
    """A server of the job worker, with a system of two cores."""
    with tf.config.override(cores=2):
        server = tf.train.Server({"worker": ["localhost:0"]})
        yield server
        server.stop()


@pytest.fixture
def remote(server):
    """A session on the server."""
    with tf.Session(server.target) as session:
        yield session
