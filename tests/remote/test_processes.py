"""Server and client in processes of their own, and what their ends mean."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import tpuref as tf

from ..crashes.processes import eventually, state_of

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

SERVE = """
import tpuref as tf
server = tf.train.Server({"worker": ["localhost:0"]})
print(server.target, flush=True)
try:
    server.join()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

STAY = """
import sys
import tpuref as tf
session = tf.Session(sys.argv[1])
print(session.run(tf.constant(7)), flush=True)
def wait():
    print("waiting", flush=True)
    sys.stdin.read()
    return 1
session.run(tf.py_func(wait, [], tf.int64))
"""


def python(program, *arguments, **settings):
    source = str(Path(tf.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": source, "TPUREF_CORES": "2"} | settings,
    )


@contextmanager
def serves(**settings):
    """A process that serves, and its target."""
    process = python(SERVE, **settings)
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        ended(process)


@pytest.fixture
def serving():
    """A process that serves, and a session on it."""
    with serves() as (process, target), tf.Session(target) as session:
        yield process, session


def parent_of(process):
    """The parent of a process; 0 if the process has just ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def children_of(parent):
    """The children of a process.

    The lists of its threads would not do: when a thread ends, its children move to
    another thread, which may have been read before.
    """
    processes = filter(str.isdecimal, os.listdir("/proc"))
    return [process for process in processes if parent_of(process) == parent]


def test_another_process_runs_the_graph(serving):
    process, session = serving
    out = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    there = tf.py_func(os.getpid, [], tf.int64)
    assert session.run(out) == [(3.0,), (3.0,)]
    assert len(session.list_devices()) == 3
    assert session.run(there) == os.getpid() != process.pid


def test_the_pool_runs_at_the_server():
    def computation(x):
        total = tf.tpu.cross_replica_sum(x)
        return tf.tpu.outside_compilation(
            lambda a: tf.py_func(lambda b: b * 2, [a], tf.float32), total
        )

    out = tf.tpu.replicate(computation, [[1.0], [2.0]])
    with serves(TPUREF_EXECUTOR="pool") as (process, target), tf.Session(target) as s:
        assert s.run(out) == [(6.0,), (6.0,)]
        assert len(children_of(process.pid)) == 2


def test_ctrl_c_ends_join(serving):
    process, session = serving
    process.send_signal(signal.SIGINT)
    assert ended(process) == ("interrupted\n", "", 0)
    with pytest.raises(tf.errors.UnavailableError):
        session.run(tf.constant(1))


def test_a_server_that_is_killed_is_noticed_at_once(serving):
    process, session = serving

    def kill():
        process.kill()
        process.wait()
        return 1

    began = time.monotonic()
    with pytest.raises(tf.errors.UnavailableError, match="create a new tf.Session"):
        session.run(tf.py_func(kill, [], tf.int64))
    assert time.monotonic() - began < 30  # and not the deadline of two minutes
    with pytest.raises(tf.errors.UnavailableError):
        session.run(tf.constant(1))


def ended(process):
    """Wait for the end of a process, and return what it wrote and its status."""
    return (*process.communicate(timeout=60), process.returncode)


def test_a_client_that_is_killed_frees_its_session(server):
    served = server._serving._shared
    client = python(STAY.partition("def")[0], server.target)
    assert ended(client) == ("7\n", "", 0)  # it ends without closing its session
    client = python(STAY, server.target)
    assert [client.stdout.readline().strip() for _ in range(2)] == ["7", "waiting"]
    assert [len(session._runs) for session in served.sessions].count(1) == 1
    (session,) = (session for session in served.sessions if session._runs)
    client.kill()
    ended(client)
    assert eventually(lambda: not served.sessions and not session._runs, 60)


def test_a_server_ends_with_its_program_though_a_session_is_open():
    process = python(SERVE.partition("try")[0] + "import sys\nsys.stdin.readline()\n")
    session = tf.Session(process.stdout.readline().strip())
    assert session.run(tf.constant(1)) == 1
    process.stdin.write("\n")
    assert ended(process) == ("", "", 0)
    with pytest.raises(tf.errors.UnavailableError):
        session.run(tf.constant(1))


def test_a_server_that_hangs_is_given_up(serving, monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.connection.SILENT_SECONDS", 1.5)
    process, session = serving

    def stop():
        process.send_signal(signal.SIGSTOP)
        assert eventually(lambda: state_of(process.pid) == "T", 60)
        return 1

    silent = pytest.raises(tf.errors.DeadlineExceededError, match="has sent nothing")
    with tf.config.override(timeout=1.5), silent:
        session.run(tf.py_func(stop, [], tf.int64))
    process.send_signal(signal.SIGCONT)
