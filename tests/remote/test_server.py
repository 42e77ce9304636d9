"""tf.train.Server: where it listens, its task, its life."""

import gc
import socket
import sys

import pytest

import tpuref as tf

from .conftest import answers

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")


def test_a_local_server_stops_when_nobody_holds_it():
    server = tf.train.Server.create_local_server()
    assert answers(server.target)
    definition, target = server.server_def, server.target
    assert (definition.job_name, definition.task_index) == ("local", 0)
    assert definition.protocol == "grpc"
    jobs = tf.train.ClusterSpec(definition.cluster).as_dict()
    assert jobs == {"local": ["localhost:0"]}
    del server
    gc.collect()
    assert not answers(target)


def test_it_listens_on_the_address_of_its_task():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    cluster = {"worker": ["10.0.0.1:1", f"127.0.0.1:{port}"]}
    server = tf.train.Server(cluster, task_index=1)
    assert server.target == f"grpc://127.0.0.1:{port}"
    with tf.Session(server.target) as session:
        (cpu, *_) = session.list_devices()
    assert cpu.name == "/job:worker/replica:0/task:0/device:CPU:0"
    server.stop()


def test_a_port_in_use_is_an_error(server):
    with pytest.raises(tf.errors.UnknownError, match="port may be in use"):
        tf.train.Server({"worker": [server.target.removeprefix("grpc://")]})


def test_a_server_can_be_started_later():
    server = tf.train.Server.create_local_server(start=False)
    server.start()
    server.start()
    assert answers(server.target)
    server.stop()
    server.stop()
    server.join()
    assert not answers(server.target)
    with pytest.raises(tf.errors.FailedPreconditionError, match="create a new one"):
        server.start()


TWO_JOBS = {"ps": ["a:1"], "worker": ["b:1"]}
ADDRESSES = ["localhost", "localhost:99999", "localhost:\u00b2", "a b:1", "unix:0"]
ADDRESSES += ["unix:/tmp/tpuref.sock:0", "unix-abstract:0", "vsock:0"]
ADDRESSES.append("localhost:" + "9" * 5000)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5,), TypeError, "must be a dictionary"),
        ((TWO_JOBS,), ValueError, "job_name is missing.*'ps'"),
        (({"ps": ["a:1", "a:2"]},), ValueError, r"task_index is missing.*\[0, 1\]"),
        (({"ps": ["a:1"]}, "worker"), ValueError, "no job 'worker'"),
        (({"ps": ["a:1"]}, "ps", 3), ValueError, "no task 3"),
        (({"ps": ["a:1"]}, "ps", 0, "http"), ValueError, "protocol must be 'grpc'"),
        *((({"ps": [at]},), ValueError, "must be 'host:port'") for at in ADDRESSES),
    ],
)
def test_a_task_that_is_not_clear(arguments, error, message):
    with pytest.raises(error, match=message):
        tf.train.Server(*arguments)


@pytest.mark.parametrize(
    "target",
    [
        *("grpc://", "grpc://host", "grpc://host:0", "grpc://a b:1", "http://h:1"),
        *("h:1", "grpc://h:" + "9" * 5000, "grpc://unix:/tmp/x:1"),
    ],
)
def test_what_is_no_target(target):
    with pytest.raises(ValueError, match="'grpc://host:port' for a server, got"):
        tf.Session(target)


def test_a_host_may_have_the_name_of_a_scheme(monkeypatch):
    asked = []

    def refused(target, *arguments):
        asked.append(target)
        raise ConnectionRefusedError

    monkeypatch.setattr("grpc.insecure_channel", refused)
    for address in ("unix:1", "[fe80::1%2]:1"):
        with pytest.raises(ConnectionRefusedError):
            tf.Session(f"grpc://{address}")
    # Without a scheme gRPC would look for a socket file named 1.
    assert asked == ["dns:///unix:1", "dns:///[fe80::1%252]:1"]


def test_a_session_takes_a_resolver(server):
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(server.target)
    with tf.Session(resolver) as session:
        assert session.sess_str == server.target
        assert session.run(tf.constant(1)) == 1
    with pytest.raises(TypeError, match="text, or a cluster resolver, got int 5"):
        tf.Session(5)


def test_only_servers_can_be_reset():
    with pytest.raises(NotImplementedError, match=r"tf\.train\.Server"):
        tf.Session.reset("")
    with pytest.raises(ValueError, match="no container"):
        tf.Session.reset("grpc://localhost:1", ["mine"])


def test_without_grpc_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "grpc", None)
    for use in (tf.train.Server.create_local_server, lambda: tf.Session("grpc://h:1")):
        with pytest.raises(ImportError, match=r"pip install 'tpuref\[cloud\]'"):
            use()
