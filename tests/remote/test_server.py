"""tf.train.Server and sessions on its target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tpuref as tf

pytest.importorskip("grpc", reason="remote sessions need pip install tpuref[grpc]")


@pytest.fixture
def server() -> Iterator[Any]:
    server = tf.train.Server({"worker": ["localhost:0"]})
    yield server
    server.stop()


def test_a_graph_runs_at_the_server(server: Any) -> None:
    x = tf.placeholder(tf.float32, [2])
    out = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[x], [2 * x]])
    with tf.Session(server.target) as session:
        values = session.run(out, {x: [1.0, 2.0]})
    assert [value.tolist() for (value,) in values] == [[3.0, 6.0]] * 2


def test_the_devices_are_those_of_the_server(server: Any) -> None:
    with tf.config.override(cores=2), tf.Session(server.target) as session:
        names = [device.name for device in session.list_devices()]
    prefix = "/job:worker/replica:0/task:0/device:"
    assert names == [prefix + "CPU:0", prefix + "TPU:0", prefix + "TPU:1"]


def test_the_system_is_started_and_stopped_at_the_server(server: Any) -> None:
    with tf.Session(server.target) as session, tf.Session(server.target) as other:
        serialized = session.run(tf.tpu.initialize_system())
        assert tf.contrib.tpu.Topology(serialized=serialized).num_cores == 8
        other.run(tf.tpu.shutdown_system())
        with pytest.raises(tf.errors.FailedPreconditionError, match="shut down at"):
            session.run(tf.tpu.rewrite(lambda: tf.constant(1)))


def test_sessions_of_one_server_share_variables(server: Any) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.Session(server.target) as session:
        session.run(v.initializer)
        session.run(v.assign_add([1.0, 1.0]))
    with tf.Session(server.target) as other:
        np.testing.assert_array_equal(other.run(v), [2.0, 3.0])


def test_reset_forgets_the_variables(server: Any) -> None:
    v = tf.Variable(1.0, name="v")
    session = tf.Session(server.target)
    session.run(v.initializer)
    tf.Session.reset(server.target)
    with pytest.raises(tf.errors.AbortedError, match="make a new tf.Session"):
        session.run(v)
    with tf.Session(server.target) as fresh:
        assert not fresh.run(tf.is_variable_initialized(v))
