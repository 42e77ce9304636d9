"""One session on the server."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.base.dtypes import DType
from tpuref.base.version import __version__
from tpuref.engine.configuration import config
from tpuref.engine.program import Program
from tpuref.engine.remote.faults import put_fault
from tpuref.engine.remote.program_check import check_program
from tpuref.engine.remote.programs import program_of
from tpuref.engine.remote.reports import put_devices
from tpuref.engine.remote.schema import PROTOCOL
from tpuref.engine.remote.served_run import ServedRun
from tpuref.engine.remote.tensors import dtype_of, malformed
from tpuref.engine.remote.wire import MESSAGE_BYTES, Reply, packed, request_of
from tpuref.engine.runtime.meaning.feed_queues import FeedQueues
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.system import Cluster

ALIVE_SECONDS = 1.0
"""The interval of the signs of life of an otherwise silent server."""

MAX_SESSIONS = 256
"""The number of sessions that a server may have open at once."""

MAX_SESSIONS_OF_PEER = 128
"""The number of sessions that clients at one address may have open."""

MAX_RUNS = 64
"""The number of concurrent runs of one session."""

MAX_PROGRAMS = 256
"""The number of programs that the server keeps for one session."""


class Shared:
    """The shared state of the sessions of one server."""

    def __init__(self, job: str, message_bytes: int) -> None:
        self.cluster = Cluster([job])
        self.variables = State()
        self.queues = FeedQueues()
        self.message_bytes = message_bytes
        self.sessions: set[ServedSession] = set()
        # Reentrant, because the garbage collector may stop a server, which takes the
        # lock, at any point of a thread that holds it.
        self.lock = threading.RLock()

    def admit(self, session: ServedSession) -> None:
        """Add an open session."""
        with self.lock:
            of_peer = sum(other.peer == session.peer for other in self.sessions)
            if of_peer >= MAX_SESSIONS_OF_PEER:
                raise _full(f"{of_peer} sessions from {session.peer}")
            if len(self.sessions) >= MAX_SESSIONS:
                raise _full(f"{len(self.sessions)} sessions")
            self.sessions.add(session)

    def end_sessions(
        self, error: errors.OpError, but: ServedSession | None = None
    ) -> None:
        """End all sessions except `but` with an error."""
        with self.lock:
            ending = self.sessions - {but}
        for session in ending:
            session.refuse(error)


def _full(sessions: str) -> errors.ResourceExhaustedError:
    return errors.ResourceExhaustedError(
        f"the server has {sessions} open and accepts no more; close some",
        code=codes.LIMIT_EXCEEDED,
    )


class ServedSession:
    """A session with one client, whose address without the port is `peer`."""

    def __init__(self, shared: Shared, peer: str) -> None:
        self.peer = peer
        self.begun = threading.Event()
        # Whether a newer stream ended the session before it was open
        self.gave_way = False
        self._shared = shared
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._ended = False
        self._programs: dict[int, tuple[Program, list[DType]]] = {}
        self._runs: dict[int, ServedRun] = {}
        self._padding_log: dict[str, Any] = {}
        # Private state, which ends with the session; variables are in `shared`, unless
        # the session is isolated.
        self._state = State(shared.queues)
        self._message_bytes = MESSAGE_BYTES
        self._cluster: Cluster | None = None
        self._isolated = False

    # -- the stream ------------------------------------------------------------

    def replies(self) -> Iterator[bytes]:
        """Yield the replies for the client until the session ends."""
        alive = Reply()
        alive.alive.SetInParent()
        while True:
            try:
                content = self._outbox.get(timeout=ALIVE_SECONDS)
            except queue.Empty:
                content = alive.SerializeToString()
            if content is None:
                return
            yield content

    def receive(self, content: bytes) -> None:
        """Handle the client's requests; an invalid one ends the session."""
        if self._ended:
            return
        try:
            request = request_of(content)
            if self._cluster is None and request.WhichOneof("kind") != "open":
                raise malformed("the first request must open the session")
            self._handle(request)
        except errors.OpError as error:
            self.refuse(error)

    def refuse(self, error: errors.OpError) -> None:
        """Send an error to the client and end the session."""
        with self._lock:
            if self._ended:
                return
        reply = Reply()
        put_fault(reply.refused, error)
        self._outbox.put(reply.SerializeToString())
        self.end()

    def give_way(self) -> None:
        """End in favour of a newer stream, unless the session is open."""
        with self._lock:
            self.gave_way = not self.begun.is_set()
            if self.gave_way:
                self.end()

    def end(self) -> None:
        """Cancel all runs and drop all state."""
        # Called by the reading thread, by gRPC when the stream ends and by the server:
        # the first call does the work. None in the outbox ends `replies`; `begun`
        # releases a stream that still waits for its opening.
        with self._lock:
            if self._ended:
                return
            self._ended = True
            runs = list(self._runs.values())
        for run in runs:
            run.cancel()
        with self._shared.lock:
            self._shared.sessions.discard(self)
        if self._cluster not in (None, self._shared.cluster):
            assert self._cluster is not None
            self._cluster.reset()
        self._programs.clear()
        self._state.close()
        self._outbox.put(None)
        self.begun.set()

    def _send(self, reply: Any) -> None:
        self._outbox.put(packed(reply, self._message_bytes, "the result of the run"))

    # -- requests --------------------------------------------------------------

    def _handle(self, request: Any) -> None:
        kind = request.WhichOneof("kind")
        if kind == "open":
            self._open_session(request)
        elif kind == "run":
            self._start(request)
        elif kind == "returned" and request.number in self._runs:
            self._runs[request.number].returned(request.returned)
        elif kind == "cancel" and request.number in self._runs:
            self._runs[request.number].cancel()
        elif kind == "list_devices":
            self._list_devices(request)
        elif kind == "reset":
            self._reset(request)

    def _open_session(self, request: Any) -> None:
        opening = request.open
        if opening.protocol != PROTOCOL:
            raise errors.FailedPreconditionError(
                f"this server is tpuref {__version__} and speaks protocol "
                f"{PROTOCOL}, the client is tpuref {opening.version} and speaks "
                f"protocol {opening.protocol}; install the same release on both sides",
                code=codes.PROCESSES_DIFFER,
            )
        if self._cluster is not None:
            raise malformed("the session is already open")
        self._message_bytes = opening.message_bytes or MESSAGE_BYTES
        self._isolated = opening.isolated or bool(opening.jobs)
        own = Cluster(list(dict.fromkeys(opening.jobs))) if opening.jobs else None
        # Under the lock, so a session that `end` has passed is not admitted after it.
        with self._lock:
            if self._ended:
                return
            self._shared.admit(self)
            self._cluster = own or self._shared.cluster
            self.begun.set()
        reply = Reply(number=request.number)
        reply.opened.version = __version__
        reply.opened.jobs.extend(self._cluster.jobs)
        reply.opened.message_bytes = self._shared.message_bytes
        self._send(reply)

    def _list_devices(self, request: Any) -> None:
        assert self._cluster is not None
        reply = Reply(number=request.number)
        put_devices(reply.devices.devices, self._cluster.devices())
        self._send(reply)

    def _reset(self, request: Any) -> None:
        self._shared.variables = State()
        self._shared.end_sessions(
            errors.AbortedError("the server was reset; create a new tf.Session"),
            but=self,
        )
        reply = Reply(number=request.number)
        reply.done.SetInParent()
        self._send(reply)

    # -- runs ------------------------------------------------------------------

    def _start(self, request: Any) -> None:
        try:
            run = self._prepare_run(request)
        except errors.OpError as error:
            reply = Reply(number=request.number)
            put_fault(reply.failed, error)
            self._send(reply)
            return
        threading.Thread(
            target=self._carry_out,
            args=(request.number, run, request.run.traced),
            name=f"run {request.number}",
            daemon=True,
        ).start()

    def _prepare_run(self, request: Any) -> ServedRun:
        program = self._program(request.run)
        run = ServedRun(request.number, program, request.run.inputs, self._send)
        with self._lock:
            if request.number in self._runs:
                raise errors.InvalidArgumentError(
                    f"the number {request.number} is that of a run in progress"
                )
            if len(self._runs) >= MAX_RUNS:
                raise errors.ResourceExhaustedError(
                    f"{MAX_RUNS} runs of this session are in progress; wait for some"
                )
            self._runs[request.number] = run
        return run

    def _program(self, message: Any) -> Program:
        """Return the program of a request, and check it when it is new."""
        # A program is sent and checked once; later requests only name its number. The
        # check used the dtypes of its first feeds, so later ones must have the same.
        fed = [dtype_of(tensor.dtype) for tensor in message.inputs]
        for number in message.forgotten:
            self._programs.pop(number, None)
        if message.HasField("bundle"):
            if len(self._programs) >= MAX_PROGRAMS:
                raise errors.ResourceExhaustedError(
                    f"the server keeps {MAX_PROGRAMS} programs of a session; name some "
                    "as forgotten"
                )
            program = program_of(message.bundle)
            check_program(program, fed)
            self._programs[message.program] = program, fed
        if message.program not in self._programs:
            raise errors.NotFoundError(
                f"expected a program that was sent before, got number {message.program}"
            )
        program, expected = self._programs[message.program]
        if fed != expected:
            raise malformed(
                f"the program takes inputs of dtypes {_names(expected)}, got "
                f"{_names(fed)}"
            )
        return program

    def _carry_out(self, number: int, served: ServedRun, traced: bool) -> None:
        served.carry_out(
            Run(
                state=self._state,
                variables=[self._state if self._isolated else self._shared.variables],
                functions={},
                systems=self._cluster,
                timeout=config.timeout,
                trace=[] if traced else None,
                padding_log=self._padding_log,
            )
        )
        with self._lock:
            del self._runs[number]


def _names(dtypes: list[DType]) -> list[str]:
    return [dtype.name for dtype in dtypes]
