"""The process of one core: it receives programs, runs them and answers.

Started by `tpuref.runtime.process`, with the descriptors of its socket, of the arena
and of the lifeline.  It ends when the socket closes or the host dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import io
import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from time import monotonic_ns
from typing import Any

import numpy as np

from tpuref.base import errors
from tpuref.base.errors import OpError, ResourceExhaustedError
from tpuref.base.processors import usable_processors
from tpuref.kernels import flags, links
from tpuref.ops.meaning import Array
from tpuref.program import Instr, Program
from tpuref.runtime.arena import Arena
from tpuref.runtime.channel import Channel
from tpuref.runtime.core import CoreProgram, Path, Shape
from tpuref.runtime.core_collectives import (
    CoreCollectives,
    Diverged,
    ReplicaSum,
    Stopped,
)
from tpuref.runtime.core_events import PREPARE, CoreEvents, Label
from tpuref.runtime.core_state import CoreState, CoreVariables
from tpuref.runtime.descriptions import (
    Described,
    array_of,
    describe_in_arena,
    describe_inline,
    goes_inline,
    inline_array,
)
from tpuref.runtime.messages import STACK_SIGNAL, Failure, Results, RunRequest
from tpuref.runtime.placement_plan import PlacementPlan
from tpuref.runtime.program_counters import (
    ProgramCounters,
    control_bytes,
    instruction,
)
from tpuref.runtime.run import Run

SPINS = 200
"""How often a wait looks again at once if every core has a processor."""

_STANDARD_ERROR = 2
_BY_LINE = 1  # _IOLBF of <stdio.h>


class Core:
    """One core: its memory, its links to the others, its programs."""

    def __init__(self, number: int, cores: int, arena: Arena, channel: Channel) -> None:
        self._number = number
        self._arena = arena
        self._heap = arena.heap(number + 1)
        self._channel = channel
        spins = SPINS if cores <= usable_processors() else 0
        self._flags = flags.Flags(arena.bytes, 0, cores)
        self._links = links.Links(self._flags, number, spins)
        self._written = 0
        self._sent: dict[int, Program] = {}
        self._programs: dict[tuple[int, ...], CoreProgram] = {}
        self._from_cores: dict[int, deque[Array]] = {}
        self._lent: list[int] = []
        self._collectives = CoreCollectives(number, arena, self._heap, self._links)
        self._placement: tuple[tuple[int, ...], ...] = ()
        self._logical = 0
        self.replica = 0
        self.events: CoreEvents | None = None
        self.counter = ProgramCounters(arena.bytes, cores).own(number)
        self._idle = self.run = _idle_run()

    def serve(self) -> None:
        """Answer the host until it closes the channel."""
        self._channel.send(("ready",))
        while True:
            message = self._channel.receive()
            if message[0] == "run":
                self._run(RunRequest(*message[1:]))
            elif message[0] == "program":
                self._sent[message[1]] = pickle.loads(message[2])
            elif message[0] == "forget":
                self._forget(message[1])

    def _forget(self, number: int) -> None:
        del self._sent[number]
        for key in [key for key in self._programs if key[0] == number]:
            del self._programs[key]

    def _prepared(self, request: RunRequest) -> CoreProgram:
        replica, logical = request.replica, request.logical_core
        cores = len(request.placement[replica])
        key = request.program, replica, logical, cores
        if key not in self._programs:
            begin = monotonic_ns()
            program = self._sent[request.program]
            plan = PlacementPlan(program, cores)
            self._programs[key] = CoreProgram(program, self, logical, plan)
            if self.events is not None:
                self.events.note(Label(None, 0, PREPARE), begin)
        return self._programs[key]

    # -- one run ---------------------------------------------------------------

    def _run(self, request: RunRequest) -> None:
        """Run what the host asks for, and answer."""
        replica, logical = request.replica, request.logical_core
        self._free([*request.freed, *self._lent])
        self._lent.clear()
        self._collectives.begin(replica, logical, request.placement, request.all_reduce)
        self._from_cores.clear()
        observed = request.traced or request.capacity
        self.events = CoreEvents(request.traced, request.capacity) if observed else None
        self.replica, self._logical = replica, logical
        self._placement = request.placement
        state = CoreState(request.entropy, dict(request.draws))
        held = CoreVariables({h: self._received(d) for h, d in request.variables})
        self.run = Run(
            state=state,
            variables={replica: held},
            functions={},
            timeout=request.timeout,
        )
        self.counter[0] = 0
        self._links.begin(request.run)
        try:
            results = self._prepared(request).run(
                [self._received(described) for described in request.inputs]
            )
            self.counter[0] = 0
            answer: tuple[Any, ...] = (
                "done",
                *self._left(request, results, held, state),
            )
        except Stopped:
            answer = ("stopped",)
        except Diverged as diverged:
            answer = ("diverged", *diverged.report)
        except Exception as error:
            self._flags.poison(1)
            instr = instruction(self._sent[request.program], self.counter[0])
            where = f"core {self._number}, replica {replica}, process {os.getpid()}"
            answer = ("error", *_failure(error, instr, replica, where))
        self._links.finish()
        self.run = self._idle
        self._send_events()
        self._tell_of_output()
        self._channel.send(answer)

    def _left(
        self,
        request: RunRequest,
        results: Sequence[Array],
        variables: CoreVariables,
        state: CoreState,
    ) -> Results:
        """Return the outcome of the run; its blocks belong to the host from now on."""
        lent = len(self._lent)
        outputs: list[Described | None] = []
        if self._logical == 0:
            outputs = list(map(self._delivered, results, request.result_blocks))
        written = [
            (handle, self._described(value))
            for handle, value in variables.written.items()
            if request.reports_writes
        ]
        del self._lent[lent:]
        names = [] if self.events is None else self.events.names
        return Results(outputs, written, list(state.draws.items()), names)

    def _send_events(self) -> None:
        """Send the events of the run if the host records it."""
        if self.events is not None and self.events.capacity:
            self._channel.send(("events", self.events.noted, self.events.taken()))
        self.events = None

    def _tell_of_output(self) -> None:
        """Tell the host if this core has written to its standard streams."""
        written = os.lseek(_STANDARD_ERROR, 0, os.SEEK_END)
        if written != self._written:
            self._written = written
            self._channel.send(("wrote",))

    def _free(self, offsets: Sequence[int]) -> None:
        for offset in offsets:
            self._heap.free(offset)

    def _received(self, described: Described) -> Array:
        return np.asarray(array_of(described, self._arena), order="C")

    def _delivered(
        self, array: Array, block: tuple[int, int] | None
    ) -> Described | None:
        """Write a result into its block and return None, or describe it."""
        if block is None or block[1] != array.nbytes:
            return self._described(array)
        self._arena.view(block[0], array.shape, array.dtype)[...] = array
        return None

    def _described(self, array: Array) -> Described:
        """Describe an array; a large one is lent, in this core's heap."""
        if goes_inline(array):
            return describe_inline(array)
        offset = self._heap.allocate(array.nbytes)
        self._lent.append(offset)
        self._arena.view(offset, array.shape, array.dtype)[...] = array
        return describe_in_arena(array, offset)

    # -- what a program asks for -----------------------------------------------

    def go_on(self) -> None:
        """Raise if the run was called off."""
        if self._flags.poisoned():
            raise Stopped

    def send(self, logical_core: int, value: Array) -> None:
        """Send a value to another logical core of the replica."""
        described = self._described(value)
        target = self._placement[self.replica][logical_core]
        self._channel.send(("pass", target, self._logical, described))

    def receive(self, logical_core: int) -> Array:
        """Return the next value from another logical core of the replica."""
        waiting = self._from_cores.setdefault(logical_core, deque())
        while not waiting:
            self._store(self._channel.receive())
        return waiting.popleft()

    def send_to_replica(self, replica: int, value: Array) -> None:
        """Send a value to another replica."""
        target = self._placement[replica][self._logical]
        described = self._described(value)
        self._channel.send(("pass", target, _of_replica(self.replica), described))

    def receive_from_replica(self, replica: int) -> Array:
        """Return the next value from another replica."""
        return self.receive(_of_replica(replica))

    def _store(self, message: tuple[Any, ...]) -> None:
        """Keep a value from another core."""
        if message[0] != "value":
            raise Stopped
        arrived = self._from_cores.setdefault(message[1], deque())
        arrived.append(self._received(message[2]))

    def call_host(self, path: Path, inputs: Sequence[Array]) -> Sequence[Array]:
        """Let the host run the instruction at `path`, and return its outputs."""
        lent = len(self._lent)
        described = [self._described(array) for array in inputs]
        self._channel.send(("call", path, described))
        answer = self._channel.receive()
        while answer[0] == "value":
            self._store(answer)
            answer = self._channel.receive()
        self._free(self._lent[lent:])
        del self._lent[lent:]
        if answer[0] != "answer":
            raise Stopped
        return [inline_array(item) for item in answer[1]]

    def collective(self, instr: Instr) -> ReplicaSum:
        """Return the function that takes part in a sum over replicas."""
        return ReplicaSum(self._collectives, instr)

    def out_for(self, shape: Shape, dtype: np.dtype[Any]) -> Mapping[str, Array]:
        """Return ``out=`` if the input of a sum needs certain memory."""
        out = self._collectives.out_for(shape, dtype)
        return {} if out is None else {"out": out}

    def shared(self, array: Array) -> Array:
        """Return an array, copied if a sum cannot read it where it is."""
        return self._collectives.shared(array)


def _of_replica(replica: int) -> int:
    """Return the number for values from a replica; no core has it."""
    return -1 - replica


def _idle_run() -> Run:
    return Run(state=CoreState(0, {}), variables={}, functions={}, timeout=0.0)


def _failure(
    error: Exception, instr: Instr | None, replica: int, where: str
) -> Failure:
    """Describe an error for the host."""
    text = f"{where}:\n" + "".join(traceback.format_exception(error))
    if not isinstance(error, OpError):
        error = _fault(error, instr)
    if f"on replica {replica}" not in error.message:  # as operations do
        error.message = f"on replica {replica}: {error.message}"
    site = error.site
    place = None if site is None else astuple(site)
    return Failure(type(error).__name__, error.message, error.op, place, text)


def _fault(error: Exception, instr: Instr | None) -> OpError:
    """Return the error for an exception that no operation raised."""
    kind: type[OpError] = errors.InternalError
    if isinstance(error, MemoryError):
        kind = ResourceExhaustedError
    message = f"a core failed with {type(error).__name__}: {error}"
    if instr is None:
        return kind(message)
    return kind(message, op=instr.name, site=instr.site)


def _watch_lifeline(lifeline: int, host: int) -> None:
    """End this process when the host is gone, in case the kernel does not."""
    if STACK_SIGNAL is not None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {STACK_SIGNAL})
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    while True:
        if poll.poll(500) or os.getppid() != host:
            os._exit(1)


def _write_lines_at_once() -> None:
    """Make Python and the C library write each line at once."""
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        library = ctypes.CDLL(None)
        stream = ctypes.c_void_p.in_dll(library, "stdout")
        library.setvbuf(stream, None, _BY_LINE, ctypes.c_size_t(0))


def main(arguments: Sequence[str]) -> None:
    """Run one core until the host is done with it."""
    number, cores, host, heap_bytes, memory, end, lifeline = map(int, arguments)
    _write_lines_at_once()
    faulthandler.enable()
    if STACK_SIGNAL is not None:
        faulthandler.register(STACK_SIGNAL, all_threads=False)
    watch = threading.Thread(target=_watch_lifeline, args=(lifeline, host), daemon=True)
    watch.start()
    arena = Arena(memory, control_bytes(cores), cores + 1, heap_bytes)
    channel = Channel(socket.socket(fileno=end))
    with contextlib.suppress(EOFError):
        Core(number, cores, arena, channel).serve()
