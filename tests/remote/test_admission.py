"""Who holds a place of a server: silent streams, and peers with many sessions."""

import contextlib
import threading
import time
from typing import Any

import pytest

import tpuref as tf

grpc = pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")


from tpuref.engine.remote import schema  # noqa: E402 - needs gRPC
from tpuref.engine.remote.served_session import ServedSession, Shared  # noqa: E402
from tpuref.engine.remote.waiting import WaitingStreams  # noqa: E402

from .streams import opening  # noqa: E402


@pytest.fixture
def loopback():
    server = tf.train.Server({"worker": ["127.0.0.1:0"]})
    yield server
    server.stop()


class Silent:
    """Streams to a server that send nothing."""

    def __init__(self, target, count):
        self._over = threading.Event()
        self._channel = grpc.insecure_channel(target.removeprefix("grpc://"))
        grpc.channel_ready_future(self._channel).result(60)
        method: Any = self._channel.stream_stream(schema.METHOD)
        self.calls = [method(self._nothing()) for _ in range(count)]

    def _nothing(self):
        self._over.wait(300)
        yield from ()

    def ends(self, count):
        """How the streams ended, once so many have."""
        deadline = time.monotonic() + 60
        while True:
            ended = [call.code() for call in self.calls if not call.is_active()]
            if len(ended) >= count:
                return ended
            assert time.monotonic() < deadline, ended
            time.sleep(0.01)

    def close(self):
        self._over.set()
        self._channel.close()


def test_streams_that_send_nothing_keep_nobody_out(loopback):
    x = tf.constant(6) * 7
    with (
        tf.Session(loopback.target) as before,
        contextlib.closing(Silent(loopback.target, 300)) as silent,
    ):
        for _ in range(5):
            with tf.Session(loopback.target) as session:
                assert session.run(x) == 42
        assert before.run(x) == 42
        # All but those that may wait have been sent away.
        assert set(silent.ends(300 - 64)) == {grpc.StatusCode.RESOURCE_EXHAUSTED}


def test_a_stream_has_a_deadline_to_open(loopback, monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.server.OPEN_SECONDS", 2.0)
    with contextlib.closing(Silent(loopback.target, 3)) as silent:
        began = time.monotonic()
        assert silent.ends(3) == [grpc.StatusCode.DEADLINE_EXCEEDED] * 3
        assert time.monotonic() - began < 30
        assert "has not opened a session within 2 s" in silent.calls[0].details()
    with tf.Session(loopback.target) as session:
        time.sleep(2.5)  # an open session may be silent
        assert session.run(tf.constant(1)) == 1


def test_the_oldest_stream_of_the_peer_with_most_gives_way(monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.waiting.MAX_WAITING", 4)
    shared = Shared("worker", 1 << 20)
    waiting = WaitingStreams()
    peers = ["good", "bad", "bad", "bad", "bad", "other", "new"]
    streams = [ServedSession(shared, peer) for peer in peers]
    for stream in streams:
        waiting.add(stream)
    gave_way = [stream.gave_way for stream in streams]
    assert gave_way == [False, True, True, True, False, False, False]
    waiting.remove(streams[0])
    waiting.add(ServedSession(shared, "late"))
    assert not any(stream.gave_way for stream in streams[4:])
    waiting.remove(streams[1])  # which has left


def test_sessions_of_one_peer_and_of_all(monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.served_session.MAX_SESSIONS", 3)
    monkeypatch.setattr("tpuref.engine.remote.served_session.MAX_SESSIONS_OF_PEER", 2)
    shared = Shared("worker", 1 << 20)
    opened = []

    def opens(peer):
        session = ServedSession(shared, peer)
        session.receive(opening().SerializeToString())
        opened.append(session)
        return session in shared.sessions

    assert [opens(peer) for peer in "aaab"] == [True, True, False, True]
    assert not opens("c")
    opened[0].end()
    gone = ServedSession(shared, "a")
    gone.give_way()
    gone.receive(opening().SerializeToString())  # it comes too late
    assert [opens(peer) for peer in "ca"] == [True, False]


def test_a_server_that_is_full_says_so(loopback, monkeypatch):
    monkeypatch.setattr("tpuref.engine.remote.served_session.MAX_SESSIONS_OF_PEER", 2)
    sessions = [tf.Session(loopback.target) for _ in range(2)]
    message = r"2 sessions from .*127.0.0.1.*E077"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=message):
        tf.Session(loopback.target)
    assert all(session.run(tf.constant(1)) == 1 for session in sessions)
    sessions.pop().close()
    for _ in range(100):
        with contextlib.suppress(tf.errors.ResourceExhaustedError):
            tf.Session(loopback.target).close()
            return
        time.sleep(0.05)
    pytest.fail("the place of a closed session is never free again")
