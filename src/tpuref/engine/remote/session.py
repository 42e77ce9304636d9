"""A session with a server, on the client."""

import itertools
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import grpc

from tpuref.base.errors import OpError
from tpuref.base.version import __version__
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.remote import schema
from tpuref.engine.remote.connection import OPENING_SECONDS, Connection
from tpuref.engine.remote.faults import error_of, put_fault
from tpuref.engine.remote.programs import put_program
from tpuref.engine.remote.reports import devices_of, padded_of, trace_of
from tpuref.engine.remote.requirement import check_credentials
from tpuref.engine.remote.tensors import arrays_of, malformed, put_arrays
from tpuref.engine.remote.token import bearer
from tpuref.engine.remote.variables import ServerVariables
from tpuref.engine.remote.wire import MESSAGE_BYTES, Request, checked_limit, packed
from tpuref.engine.runtime.host import run_instr
from tpuref.engine.runtime.meaning.padding import PaddingRecord
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.topology.devices import DeviceAttributes

CACHED_PROGRAMS = 200
"""The number of programs that the client expects the server to cache.

Below the server's limit, to leave room for programs that it has not dropped yet.
"""


class RemoteSession:
    """A session that runs on a server.

    It raises UnavailableError if no server answers, UnauthenticatedError if the server
    requires a different token, and FailedPreconditionError if it uses a different
    version of the protocol.
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
        opened = self._request(request).opened
        self.jobs = tuple(opened.jobs)
        self._message_bytes = opened.message_bytes

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices of the server."""
        request = Request(number=next(self._numbers))
        request.list_devices.SetInParent()
        return devices_of(self._request(request).devices.devices)

    def reset(self) -> None:
        """Make the server drop its variables and end its other sessions."""
        request = Request(number=next(self._numbers))
        request.reset.SetInParent()
        self._request(request)

    def close(self) -> None:
        """End the session; runs in progress end with an error."""
        self._connection.close()

    def _request(self, request: Any) -> Any:
        """Return the reply to a request that is answered immediately."""
        with self._connection.replies(request.number) as replies:
            self._send(request)
            reply = replies.next(OPENING_SECONDS)
        if reply.HasField("failed"):
            raise error_of(reply.failed)
        return reply

    def _send(self, request: Any) -> None:
        self._connection.send(packed(request, self._message_bytes, "the feed"))

    # -- runs ------------------------------------------------------------------

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run a program on the server and return its results.

        `run` has the client's Python functions and the state of its datasets, for the
        instructions that the server hands back (host calls).
        """
        request = Request(number=next(self._numbers))
        request.run.traced = run.trace is not None
        put_arrays(request.run.inputs, inputs)
        with self._connection.replies(request.number) as replies:
            try:
                # One lock for both steps: the request that includes a program must go
                # out before any request that only names it.
                with self._sending:
                    self._sent.describe(request.run, program)
                    self._send(request)
                return self._results(request.number, replies, program, run)
            except BaseException:
                # The server may have refused the program, so do not rely on its copy.
                if request.run.HasField("bundle"):
                    self._sent.doubt(program)
                raise

    def _results(
        self, number: int, replies: Any, program: Program, run: Run
    ) -> list[Array]:
        """Answer the host calls of a run until it ends, and return its results."""
        raised: dict[str, Exception] = {}
        try:
            while True:
                reply = replies.next()
                kind = reply.WhichOneof("kind")
                if kind == "host_call":
                    self._answer(number, reply.host_call, program, run, raised)
                elif kind == "done":
                    return _take_results(reply.done, run)
                elif kind == "failed":
                    raise _original_error(error_of(reply.failed), raised)
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
        """Run an instruction for the server and send its results."""
        answer = Request(number=number)
        answer.returned.call = call.call
        try:
            instr = _client_instruction(program, call.instruction)
            inputs = arrays_of(call.inputs)
            own = replace(run, variables=[self._variables])
            outputs = run_instr(instr, inputs, own, call.replica)
            put_arrays(answer.returned.outputs, outputs)
        except Exception as error:
            put_fault(answer.returned.fault, error)
            raised[answer.returned.fault.message] = error
        self._send(answer)


def _client_instruction(program: Program, position: int) -> Instr:
    """Return the instruction of a host call, if the server may request it."""
    # Only instructions marked `client` run here: a server must not be able to make the
    # client run anything else of the program.
    instrs = list(program.all_instrs())
    if (
        not 0 <= position < len(instrs)
        or not instrs[position].definition.effects.client
    ):
        raise malformed(f"the server requests instruction {position}")
    return instrs[position]


def _take_results(done: Any, run: Run) -> list[Array]:
    """Return the results of a run, and record its reports."""
    if run.trace is not None:
        run.trace += trace_of(done.trace)
    padded = padded_of(done.padded)
    for operation in {p.operation for p in padded}:
        inputs = tuple(p for p in padded if p.operation == operation)
        run.padding_log[operation] = PaddingRecord(inputs)
    return arrays_of(done.outputs)


def _original_error(error: Exception, raised: Mapping[str, Exception]) -> Exception:
    """Return the client's exception behind an error of the server, or that error."""
    # An exception of a host call travels to the server as a message and comes back in
    # the error of the run; the user gets the original object, with its traceback.
    text = error.message if isinstance(error, OpError) else str(error)
    for message, own in raised.items():
        if text.endswith(message):
            if isinstance(own, OpError) and isinstance(error, OpError):
                own.message, own.op, own.site = error.message, error.op, error.site
            return own
    return error


class _Sent:
    """The programs that the server has, by number."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[int, Program]] = {}
        self._unused = itertools.count(1)
        self._forgotten: list[int] = []
        self._lock = threading.Lock()

    def describe(self, message: Any, program: Program) -> None:
        """Write a program's number into a request, and the program if it is new."""
        # `_numbers` is ordered by last use. Keeping the program in it keeps its id
        # from being reused.
        with self._lock:
            known = self._numbers.pop(id(program), None)
            number = next(self._unused) if known is None else known[0]
            message.program = number
            if known is None:
                put_program(message.bundle, program)
                if len(self._numbers) >= CACHED_PROGRAMS:
                    oldest = next(iter(self._numbers))
                    self._forgotten.append(self._numbers.pop(oldest)[0])
            self._numbers[id(program)] = number, program  # the latest is last
            message.forgotten.extend(self._forgotten)
            self._forgotten.clear()

    def doubt(self, program: Program) -> None:
        """Forget a program, so that its next run sends it again."""
        with self._lock:
            known = self._numbers.pop(id(program), None)
            if known is not None:
                self._forgotten.append(known[0])
