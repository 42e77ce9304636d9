"""One run on the server, in its own thread."""

import itertools
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base.errors import CancelledError, InternalError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.remote.faults import error_of, put_fault
from tpuref.engine.remote.reports import put_padded, put_trace
from tpuref.engine.remote.tensors import arrays_of, malformed, put_arrays
from tpuref.engine.remote.wire import Reply
from tpuref.engine.runtime.host import run_program
from tpuref.engine.runtime.meaning.padding import PaddingRecord
from tpuref.engine.runtime.meaning.run import Elsewhere, Run

LOOK_SECONDS = 0.2
"""The interval at which a run that waits for its client checks for cancellation."""


class ServedRun:
    """A program that runs for request `number` of a client; `send` sends replies."""

    def __init__(
        self,
        number: int,
        program: Program,
        inputs: Sequence[Any],
        send: Callable[[Any], None],
    ) -> None:
        self._number = number
        self._program = program
        self._inputs = inputs
        self._send = send
        self._cancelled = threading.Event()
        self._returned: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._calls = itertools.count()

    def cancel(self) -> None:
        """Make the run end at its next check."""
        self._cancelled.set()

    def returned(self, message: Any) -> None:
        """Receive the client's answer to a host call."""
        self._returned.put(message)

    def carry_out(self, run: Run) -> None:
        """Run the program and send its results or its error."""
        reply = Reply(number=self._number)
        reply.done.SetInParent()  # a run may have no results
        try:
            self._fill(reply.done, run)
            self._send(reply)
        except Exception as error:
            failed = Reply(number=self._number)
            put_fault(failed.failed, error)
            self._send(failed)

    def _fill(self, done: Any, run: Run) -> None:
        inputs = arrays_of(self._inputs)
        run.watch = self._check_cancelled
        run.elsewhere = self._elsewhere()
        put_arrays(done.outputs, run_program(self._program, inputs, run))
        put_trace(done.trace, run.trace or ())
        for instr in self._program.all_instrs():
            record = run.padding_log.get(instr.name, PaddingRecord())
            put_padded(done.padded, record.inputs)

    # -- host calls ------------------------------------------------------------

    def _check_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise CancelledError("the client abandoned the run, or its session ended")

    def _elsewhere(self) -> Elsewhere:
        """Return the function that lets the client run an instruction."""
        # Both sides number the instructions alike, blocks included, so a position is
        # enough to name an instruction whose Python objects only the client has. The
        # one that runs may be a copy with other inputs, but it shares the attributes.
        positions = {id(i.attrs): n for n, i in enumerate(self._program.all_instrs())}

        def call(
            instr: Instr, inputs: Sequence[Array], replica: int, run: Run
        ) -> list[Array]:
            return self._call(positions[id(instr.attrs)], instr, inputs, replica, run)

        return call

    def _call(
        self,
        position: int,
        instr: Instr,
        inputs: Sequence[Array],
        replica: int,
        run: Run,
    ) -> list[Array]:
        """Let the client run an instruction, and wait for its results."""
        number = next(self._calls)
        reply = Reply(number=self._number)
        reply.host_call.call = number
        reply.host_call.instruction = position
        reply.host_call.replica = replica
        put_arrays(reply.host_call.inputs, inputs)
        self._send(reply)
        message = self._await_answer(number, run)
        if message.HasField("fault"):
            raise error_of(message.fault)
        outputs = arrays_of(message.outputs)
        expected = len(instr.outputs)
        if len(outputs) != expected and not instr.definition.effects.ahead:
            raise malformed(f"a host call has {expected} results, got {len(outputs)}")
        return outputs

    def _await_answer(self, number: int, run: Run) -> Any:
        while True:
            if run.watch is not None:
                run.watch()
            try:
                message = self._returned.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            if message.call != number:
                raise InternalError(
                    f"the client answers host call {message.call} instead of {number}"
                )
            return message
