"""The client's end of a session's stream."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import grpc

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.engine.configuration import config
from tpuref.engine.remote import schema
from tpuref.engine.remote.faults import class_of, error_of
from tpuref.engine.remote.wire import reply_of
from tpuref.engine.runtime.meaning.state import session_closed

KEEPALIVE = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)

OPENING_SECONDS = 20.0
"""The time limit for a server to open a session."""

SILENT_SECONDS = 10.0
"""The shortest silence after which a server, which sends every second, is given up."""

Outbox = queue.SimpleQueue["bytes | None"]


class Connection:
    """A stream to a server, with an inbox for the replies to each request.

    `metadata` is sent once, at the start; without `credentials` there is no TLS.
    """

    def __init__(
        self,
        address: str,
        credentials: grpc.ChannelCredentials | None,
        metadata: tuple[tuple[str, str], ...],
        message_bytes: int,
    ) -> None:
        options = [
            ("grpc.max_receive_message_length", message_bytes),
            ("grpc.max_send_message_length", -1),
            ("grpc.enable_http_proxy", 0),
            ("grpc.use_local_subchannel_pool", 1),
            *KEEPALIVE,
        ]
        # Without a scheme, gRPC would read a host named "unix" as the scheme.
        target = "dns:///" + quote(address, safe="[]:")
        if credentials is None:
            channel = grpc.insecure_channel(target, options)
        else:
            channel = grpc.secure_channel(target, credentials, options)
        # The thread and the finalizer hold the inboxes but not this object, so a
        # session that the program drops is collected and hangs up.
        self._sorting = _Sorting(address, credentials is not None)
        self._outbox: Outbox = queue.SimpleQueue()
        method: Any = channel.stream_stream(schema.METHOD)
        replies = method(_until_none(self._outbox), metadata=metadata)
        threading.Thread(
            target=_receive, args=(replies, self._sorting), name="replies", daemon=True
        ).start()
        self.close = weakref.finalize(
            self, _hang_up, channel, self._outbox, self._sorting
        )

    def send(self, content: bytes) -> None:
        """Send a request."""
        self._outbox.put(content)

    @contextlib.contextmanager
    def replies(self, number: int) -> Iterator[Replies]:
        """Collect the replies to a request within a ``with`` block."""
        with self._sorting.inbox(number) as inbox:
            yield Replies(self._sorting, inbox)


class Replies:
    """The replies to one request, as they arrive."""

    def __init__(self, sorting: _Sorting, inbox: queue.SimpleQueue[Any]) -> None:
        self._sorting = sorting
        self._inbox = inbox

    def next(self, seconds: float | None = None) -> Any:
        """Return the next reply."""
        # A run may take any time, so without a limit only the silence of the server
        # counts, and every message from it, for any request, starts the time again.
        began = time.monotonic()
        while True:
            self._sorting.check()
            allowed = seconds or max(config.timeout, SILENT_SECONDS)
            since = began if seconds else max(began, self._sorting.heard)
            left = since + allowed - time.monotonic()
            if left <= 0:
                raise errors.DeadlineExceededError(
                    f"the server at {self._sorting.address} has sent nothing for "
                    f"{allowed:g} s, although the connection is open",
                    code=codes.SERVER_UNREACHABLE,
                )
            try:
                reply = self._inbox.get(timeout=min(left, 1.0))
            except queue.Empty:
                continue
            if reply is not None:
                return reply


class _Sorting:
    """The inboxes of requests that wait for replies."""

    def __init__(self, address: str, is_secure: bool) -> None:
        self.address = address
        self.is_secure = is_secure
        self.heard = time.monotonic()
        self._inboxes: dict[int, queue.SimpleQueue[Any]] = {}
        self._broken: errors.OpError | None = None
        # Reentrant, because the garbage collector may close a session, which takes the
        # lock, at any point of a thread that holds it.
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def inbox(self, number: int) -> Iterator[queue.SimpleQueue[Any]]:
        """Yield a new inbox for a request, within a ``with`` block."""
        inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            self._inboxes[number] = inbox
        try:
            yield inbox
        finally:
            with self._lock:
                del self._inboxes[number]

    def put(self, reply: Any) -> None:
        """Put a reply into its inbox; one for a request that has ended is dropped."""
        self.heard = time.monotonic()
        with self._lock:
            if reply.number in self._inboxes and not reply.HasField("alive"):
                self._inboxes[reply.number].put(reply)

    def break_off(self, error: errors.OpError) -> None:
        """Make all waits, now and later, raise an error; the first error stays."""
        with self._lock:
            self._broken = self._broken or error
            for inbox in self._inboxes.values():
                inbox.put(None)  # wakes the wait, which then checks

    def check(self) -> None:
        """Raise the error that ended the stream, if it has ended."""
        if self._broken is not None:
            raise type(self._broken)(self._broken.message)


def _until_none(outbox: Outbox) -> Iterator[bytes]:
    while (content := outbox.get()) is not None:
        yield content


def _receive(replies: Any, sorting: _Sorting) -> None:
    """Receive replies until the stream ends; runs in a thread."""
    try:
        for content in replies:
            reply = reply_of(content)
            if reply.HasField("refused"):
                raise error_of(reply.refused)
            sorting.put(reply)
        raise errors.UnavailableError(
            f"the server at {sorting.address} ended the session",
            code=codes.SERVER_UNREACHABLE,
        )
    except grpc.RpcError as error:
        sorting.break_off(_error_of_status(error, sorting))
    except errors.OpError as error:
        sorting.break_off(error)
    except Exception as error:  # otherwise waits would go on
        sorting.break_off(errors.InternalError(f"{type(error).__name__}: {error}"))
    finally:
        replies.cancel()


def _error_of_status(error: Any, sorting: _Sorting) -> errors.OpError:
    """Return the error for the gRPC status that ended a stream."""
    code, details, address = error.code(), error.details(), sorting.address
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        # A server with TLS closes a connection that begins without it.
        needs_tls = not sorting.is_secure and "Socket closed" in details
        hint = ". If it uses TLS, give tf.RPCOptions credentials" if needs_tls else ""
        return errors.UnavailableError(
            f"the server at {address} cannot be reached or is gone: {details}. Once it "
            f"runs, create a new tf.Session{hint}",
            code=codes.SERVER_UNREACHABLE,
        )
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return errors.UnimplementedError(
            f"the process listening at {address} is not a tpuref server: {details}",
            code=codes.SERVER_UNREACHABLE,
        )
    return class_of(code.value[0])(f"the server at {address}: {details}")


def _hang_up(channel: grpc.Channel, outbox: Outbox, sorting: _Sorting) -> None:
    sorting.break_off(session_closed())
    outbox.put(None)
    channel.close()
