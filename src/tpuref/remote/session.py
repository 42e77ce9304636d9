"""A session with a server, as the client sees it."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import grpc

from tpuref.base.errors import OpError
from tpuref.ops.definition import Array
from tpuref.program import Instr, Program
from tpuref.remote import schema
from tpuref.remote.connection import OPENING_SECONDS, Connection
from tpuref.remote.credentials import check_credentials
from tpuref.remote.faults import error_of, put_fault
from tpuref.remote.programs import put_program
from tpuref.remote.reports import devices_of, padded_of, trace_of
from tpuref.remote.served_run import CLIENT_OPERATIONS
from tpuref.remote.tensors import arrays_of, malformed, put_arrays
from tpuref.remote.token import bearer
from tpuref.remote.variables import ServerVariables
from tpuref.remote.wire import MESSAGE_BYTES, Request, checked_limit, packed
from tpuref.runtime.devices import DeviceAttributes
from tpuref.runtime.effects import EFFECTS
from tpuref.runtime.padding import PaddingRecord
from tpuref.runtime.run import Run
from tpuref.version import __version__

CACHED_PROGRAMS = 200
"""How many programs the server is asked to keep; it keeps a few more."""


class RemoteSession:
    """A session that a server carries out.

    Parameters
    ----------
    address
        Host and port of the server.
    jobs
        The jobs of a cluster for this session alone; none for the server's own.
    isolated
        Whether the session has variables of its own.
    credentials
        What makes the connection use TLS; None for a plain one.
    token
        What is shown to the server, checked.
    max_message_bytes
        The size of the largest message that is taken.

    Raises
    ------
    ValueError
        If `max_message_bytes` is out of range.
    UnavailableError
        If no server answers.
    UnauthenticatedError
        If the server wants another token.
    FailedPreconditionError
        If the server speaks another version of the protocol.
    """

    def __init__(
        self,
        address: str,
        jobs: Sequence[str] = (),
        isolated: bool = False,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        max_message_bytes: int = MESSAGE_BYTES,
    ) -> None:
        checked_limit(max_message_bytes, "tf.RPCOptions")
        check_credentials(credentials, grpc.ChannelCredentials, "tf.RPCOptions")
        metadata = () if token is None else (("authorization", bearer(token)),)
        self._connection = Connection(address, credentials, metadata, max_message_bytes)
        self._numbers = itertools.count(1)
        self._sent = _Sent()
        self._variables = ServerVariables(weakref.proxy(self))
        self._sending = threading.Lock()
        self._message_bytes = MESSAGE_BYTES
        request = Request(number=next(self._numbers))
        request.open.protocol = schema.PROTOCOL
        request.open.version = __version__
        request.open.jobs.extend(jobs)
        request.open.isolated = isolated
        request.open.message_bytes = max_message_bytes
        opened = self._asked(request).opened
        self._jobs = tuple(opened.jobs)
        self._message_bytes = opened.message_bytes

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""
        return self._jobs

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices of the server."""
        request = Request(number=next(self._numbers))
        request.list_devices.SetInParent()
        return devices_of(self._asked(request).devices.devices)

    def reset(self) -> None:
        """Let the server forget its variables and end its other sessions."""
        request = Request(number=next(self._numbers))
        request.reset.SetInParent()
        self._asked(request)

    def close(self) -> None:
        """End the session; runs under way end with an error."""
        self._connection.close()

    def _asked(self, request: Any) -> Any:
        """Return the one reply to a request that takes no time."""
        with self._connection.replies(request.number) as replies:
            self._send(request)
            reply = replies.next(OPENING_SECONDS)
        if reply.HasField("failed"):
            raise error_of(reply.failed)
        return reply

    def _send(self, request: Any) -> None:
        self._connection.send(packed(request, self._message_bytes, "what is fed"))

    # -- runs ------------------------------------------------------------------

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Let the server carry out `program`, and return its results.

        Parameters
        ----------
        program
            What is run.
        inputs
            The values of its parameters.
        run
            What the client has for it: its Python functions, and the state of datasets.
        """
        request = Request(number=next(self._numbers))
        request.run.traced = run.trace is not None
        put_arrays(request.run.inputs, inputs)
        with self._connection.replies(request.number) as replies:
            try:
                with self._sending:  # a program goes before runs that only name it
                    self._sent.describe(request.run, program)
                    self._send(request)
                return self._results(request.number, replies, program, run)
            except BaseException:
                if request.run.HasField("bundle"):
                    self._sent.doubt(program)
                raise

    def _results(
        self, number: int, replies: Any, program: Program, run: Run
    ) -> list[Array]:
        """Answer the host calls of a run until it is over."""
        raised: dict[str, Exception] = {}
        try:
            while True:
                reply = replies.next()
                kind = reply.WhichOneof("kind")
                if kind == "host_call":
                    self._answer(number, reply.host_call, program, run, raised)
                elif kind == "done":
                    return _taken(reply.done, run)
                elif kind == "failed":
                    raise _own(error_of(reply.failed), raised)
                else:
                    raise malformed(f"the server answers a run with {kind!r}")
        except BaseException:
            cancel = Request(number=number)
            cancel.cancel.SetInParent()
            self._send(cancel)
            raise

    def _answer(
        self,
        number: int,
        call: Any,
        program: Program,
        run: Run,
        raised: dict[str, Exception],
    ) -> None:
        """Carry out an instruction for the server and send what comes of it."""
        answer = Request(number=number)
        answer.returned.call = call.call
        try:
            instr = _client_instruction(program, call.instruction)
            inputs = arrays_of(call.inputs)
            own = replace(run, variables=[self._variables])
            outputs = EFFECTS[instr.op](instr, inputs, call.replica, own)
            put_arrays(answer.returned.outputs, outputs)
        except Exception as error:
            put_fault(answer.returned.fault, error)
            raised[answer.returned.fault.message] = error
        self._send(answer)


def _client_instruction(program: Program, position: int) -> Instr:
    """Return the instruction that the server asks for; only some may be asked for."""
    instrs = list(program.all_instrs())
    if not 0 <= position < len(instrs) or instrs[position].op not in CLIENT_OPERATIONS:
        raise malformed(f"the server asks for instruction {position}")
    return instrs[position]


def _taken(done: Any, run: Run) -> list[Array]:
    """Return the results of a run, and note what else it has to tell."""
    if run.trace is not None:
        run.trace += trace_of(done.trace)
    padded = padded_of(done.padded)
    for operation in {p.operation for p in padded}:
        inputs = tuple(p for p in padded if p.operation == operation)
        run.padding_log[operation] = PaddingRecord(inputs)
    return arrays_of(done.outputs)


def _own(error: Exception, raised: Mapping[str, Exception]) -> Exception:
    """Return the error of this process that an error of the server goes back to."""
    told = error.message if isinstance(error, OpError) else str(error)
    for message, own in raised.items():
        if told.endswith(message):
            if isinstance(own, OpError) and isinstance(error, OpError):
                own.message, own.op, own.site = error.message, error.op, error.site
            return own
    return error


class _Sent:
    """Which programs the server has, by number."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[int, Program]] = {}
        self._unused = itertools.count(1)
        self._forgotten: list[int] = []
        self._lock = threading.Lock()

    def describe(self, message: Any, program: Program) -> None:
        """Name a program in a request, and add it where the server does not have it."""
        with self._lock:
            known = self._numbers.pop(id(program), None)
            number = next(self._unused) if known is None else known[0]
            message.program = number
            if known is None:
                put_program(message.bundle, program)
                if len(self._numbers) >= CACHED_PROGRAMS:
                    oldest = next(iter(self._numbers))
                    self._forgotten.append(self._numbers.pop(oldest)[0])
            self._numbers[id(program)] = number, program  # the latest stands last
            message.forgotten.extend(self._forgotten)
            self._forgotten.clear()

    def doubt(self, program: Program) -> None:
        """Send a program again where its first run went wrong."""
        with self._lock:
            known = self._numbers.pop(id(program), None)
            if known is not None:
                self._forgotten.append(known[0])
