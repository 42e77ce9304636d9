"""The server of sessions: listens, checks tokens, serves one session per stream.

::

    client                              server
    ------                              ------
    open       -- one stream, gRPC -->  ServedSession
    run        ---------------------->      ServedRun, in a thread
        host call  <------------------      (a Python function, a dataset)
        its values ------------------>
    done       <----------------------
"""

import hmac
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnavailableError, UnknownError
from tpuref.engine.remote import schema
from tpuref.engine.remote.requirement import check_credentials
from tpuref.engine.remote.served_session import ServedSession, Shared
from tpuref.engine.remote.token import bearer
from tpuref.engine.remote.waiting import WaitingStreams
from tpuref.engine.remote.wire import MESSAGE_BYTES, checked_limit

OPEN_SECONDS = 10.0
"""The time within which a client must open its session."""

MAX_STREAMS = 1024
"""The limit of streams: more than sessions, because some are opening or ending."""

GRACE_SECONDS = 0.5
"""The time in which clients receive the final error before streams are cut."""

STOP_SECONDS = 5.0
"""The time limit for connections to end."""

KEEPALIVE = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
"""Both sides ping each other, so a vanished peer is noticed within 30 s."""


class SessionServer:
    """A server of sessions on one address.

    The parameters are those of `tf.train.Server`, with one address (port 0 chooses a
    free port), the job of the server, and a validated token or None.
    """

    def __init__(
        self,
        address: str,
        job: str,
        credentials: grpc.ServerCredentials | None = None,
        token: str | None = None,
        max_message_bytes: int = MESSAGE_BYTES,
    ) -> None:
        checked_limit(max_message_bytes, "tf.train.Server")
        check_credentials(credentials, grpc.ServerCredentials, "tf.train.Server")
        self._shared = Shared(job, max_message_bytes)
        self._waiting = WaitingStreams()
        self._expected = None if token is None else bearer(token).encode()
        method: Any = grpc.stream_stream_rpc_method_handler(self._attend)
        service, _, name = schema.METHOD[1:].partition("/")
        self._server = grpc.server(
            _Threads(),
            [grpc.method_handlers_generic_handler(service, {name: method})],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", max_message_bytes),
                ("grpc.max_send_message_length", -1),
                ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
                *KEEPALIVE,
            ],
            maximum_concurrent_rpcs=MAX_STREAMS,
        )
        self._started = False
        self._stopped = threading.Event()
        self.port = self._bind(address, credentials)

    def _bind(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        try:
            if credentials is None:
                return self._server.add_insecure_port(address)
            return self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise UnknownError(
                f"tf.train.Server: cannot listen on {address!r}: {error}; the port may "
                "be in use, or the host not this computer",
                code=codes.CANNOT_LISTEN,
            ) from None

    def start(self) -> None:
        """Start to serve, unless already started."""
        if not self._started:
            self._started = True
            self._server.start()

    def stop(self) -> None:
        """End all sessions and the TPU system, and stop listening."""
        self._shared.end_sessions(UnavailableError("the server was stopped"))
        self._end_connections()
        self._shared.cluster.reset()
        self._stopped.set()

    def _end_connections(self) -> None:
        try:
            ended = self._server.stop(grace=GRACE_SECONDS)
        except RuntimeError:  # the interpreter is shutting down and starts no thread
            ended = self._server.stop(grace=None)
        ended.wait(STOP_SECONDS)

    def wait(self) -> None:
        """Wait until the server stops; Ctrl-C ends the wait."""
        self._stopped.wait()

    def _attend(
        self, requests: Iterator[bytes], context: grpc.ServicerContext
    ) -> Iterator[bytes]:
        # Three threads serve a stream: this one, a generator that gRPC drains, yields
        # replies; `_read` handles requests; each run has its own. So a reply, such as
        # a sign of life, is sent while requests or runs are blocked.
        self._check_token(context)
        session = ServedSession(self._shared, context.peer().rpartition(":")[0])
        context.add_callback(session.end)
        threading.Thread(
            target=_read, args=(session, requests), name="requests", daemon=True
        ).start()
        self._await_opening(session, context)
        yield from session.replies()

    def _await_opening(
        self, session: ServedSession, context: grpc.ServicerContext
    ) -> None:
        """Wait until the session is open, and abort the stream if it stays silent."""
        # The abort is a gRPC status, not a reply: a silent client may not read replies.
        self._waiting.add(session)
        in_time = session.begun.wait(OPEN_SECONDS)
        self._waiting.remove(session)
        if not in_time:
            context.abort(
                grpc.StatusCode.DEADLINE_EXCEEDED,
                f"the client has not opened a session within {OPEN_SECONDS:g} s",
            )
        if session.gave_way:
            context.abort(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "too many clients are opening a session; try again",
            )

    def _check_token(self, context: grpc.ServicerContext) -> None:
        if self._expected is None:
            return
        # Compared in constant time, so response times do not reveal a prefix.
        shown = dict(context.invocation_metadata()).get("authorization", "")
        if not hmac.compare_digest(str(shown).encode(), self._expected):
            context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "the server requires a token, and the client has sent "
                f"{'a wrong one' if shown else 'none'}; set TPUREF_TOKEN, or use "
                "tf.ConfigProto(rpc_options=tf.RPCOptions(token=...))",
            )


def _read(session: ServedSession, requests: Iterator[bytes]) -> None:
    try:
        for content in requests:
            session.receive(content)
    except Exception:  # the client is gone; gRPC raises a bare Exception
        pass
    finally:
        session.end()


class _Threads(futures.ThreadPoolExecutor):
    """An executor with a new daemon thread for each task."""

    # A stream holds its thread as long as the session lasts, so a pool of fixed size
    # would make clients wait; threads that are not daemons would keep Python alive.

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> futures.Future[Any]:
        """Run a function in a new thread."""
        future: futures.Future[Any] = futures.Future()
        threading.Thread(
            target=_run, args=(future, fn, args, kwargs), name="session", daemon=True
        ).start()
        return future


def _run(
    future: futures.Future[Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    try:
        future.set_result(function(*args, **kwargs))
    except BaseException as error:
        future.set_exception(error)
