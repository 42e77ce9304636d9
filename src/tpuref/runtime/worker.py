"""A process of the pool: it receives programs, runs them for its cores and answers.

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
from collections.abc import Sequence
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
from tpuref.runtime.columns import Column
from tpuref.runtime.core_collectives import (
    CoreCollectives,
    Diverged,
    ReplicaSum,
    Stopped,
)
from tpuref.runtime.core_events import PREPARE, TO_CORE, CoreEvents, Label, Peer
from tpuref.runtime.core_state import CoreState, CoreVariables
from tpuref.runtime.descriptions import (
    Described,
    array_of,
    describe_in_arena,
    describe_inline,
    goes_inline,
    inline_array,
)
from tpuref.runtime.messages import (
    STACK_SIGNAL,
    Failure,
    Given,
    Results,
    RunRequest,
)
from tpuref.runtime.placement_plan import PlacementPlan
from tpuref.runtime.prepared import Path, PreparedProgram
from tpuref.runtime.program_counters import (
    ProgramCounters,
    control_bytes,
    instruction,
)
from tpuref.runtime.run import Run
from tpuref.runtime.split import Lane, Split

SPINS = 200
"""How often a wait looks again at once if every process has a processor."""

_STANDARD_ERROR = 2
_BY_LINE = 1  # _IOLBF of <stdio.h>


class Worker:
    """A process: its memory, its links to the others, its cores and their programs."""

    def __init__(
        self, number: int, split: Split, arena: Arena, channel: Channel
    ) -> None:
        self._number = number
        self._split = split
        self._arena = arena
        self._heap = arena.heap(number + 1)
        self._channel = channel
        spins = SPINS if split.processes <= usable_processors() else 0
        self._flags = flags.Flags(arena.bytes, 0, split.cores)
        self._links = {
            core: links.Links(self._flags, core, spins)
            for core in split.carried(number)
        }
        self._written = 0
        self._sent: dict[int, Program] = {}
        self._programs: dict[tuple[Any, ...], PreparedProgram] = {}
        self._held: dict[tuple[Any, ...], dict[str, Array]] = {}
        self._arrived: dict[tuple[int, Peer], deque[Array]] = {}
        self._answered: dict[int, Sequence[Array]] = {}
        self._lent: list[int] = []
        self._collectives = CoreCollectives(split, arena, self._heap, self._links)
        self._placement: tuple[tuple[int, ...], ...] = ()
        self._lanes: list[Lane] = []
        self.lane: Lane | None = None
        self.events: CoreEvents | None = None
        self.counter = ProgramCounters(arena.bytes, *split).own(number)
        self._idle = self.run = _idle_run()
        self.runs: dict[int, Run] = {}

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
        for key in [key for key in self._held if key[0] == number]:
            del self._held[key]

    def _prepared(self, request: RunRequest) -> PreparedProgram:
        key = request.program, request.placement
        if key not in self._programs:
            begin = monotonic_ns()
            program = self._sent[request.program]
            plan = PlacementPlan(program, len(request.placement[0]))
            prepared = PreparedProgram(program, self, self._lanes, plan)
            self._programs[key] = prepared
            if self.events is not None:
                label = Label(None, 0, PREPARE, dict(enumerate(self._lanes)))
                self.events.note(label, begin)
        return self._programs[key]

    # -- one run ---------------------------------------------------------------

    def _run(self, request: RunRequest) -> None:
        """Run what the host asks for, and answer."""
        self._free([*request.freed, *self._lent])
        self._lent.clear()
        self._collectives.begin(request.placement, request.all_reduce)
        self._arrived.clear()
        self._answered.clear()
        observed = request.traced or request.capacity
        self.events = CoreEvents(request.traced, request.capacity) if observed else None
        self._place(request.placement)
        draws = {given[0]: dict(given[2]) for given in request.replicas}
        state = CoreState(request.entropy, draws)
        held = self._variables(request)
        self.runs = {
            logical: Run(state, held[logical], {}, request.timeout) for logical in held
        }
        self.run = next(iter(self.runs.values()))
        self.counter[0] = 0
        self.lane = None
        for end in self._links.values():
            end.begin(request.run)
        try:
            results = self._prepared(request).run(self._inputs(request.replicas))
            self.counter[0] = 0
            answer: tuple[Any, ...] = (
                "done",
                self._left(request, results, held, state),
            )
        except Stopped:
            answer = ("stopped",)
        except Diverged as diverged:
            answer = ("diverged", [tuple(report) for report in diverged.reports])
        except Exception as error:
            self._flags.poison(1)
            instr = instruction(self._sent[request.program], self.counter[0])
            lane = self.lane or self._lanes[0]
            answer = ("error", *_failure(error, instr, lane))
        for end in self._links.values():
            end.finish()
        self.run, self.runs = self._idle, {}
        self._send_events()
        self._tell_of_output()
        self._channel.send(answer)

    def _place(self, placement: tuple[tuple[int, ...], ...]) -> None:
        """Find out what the cores of this process are in the run."""
        if placement == self._placement:
            return
        own = self._split.carried(self._number)
        self._placement = placement
        self._lanes = sorted(
            Lane(core, replica, logical)
            for replica, cores in enumerate(placement)
            for logical, core in enumerate(cores)
            if core in own
        )

    def _variables(self, request: RunRequest) -> dict[int, dict[int, CoreVariables]]:
        """Return the variables as each logical core of each replica sees them."""
        held = self._held.setdefault((request.program, request.placement), {})
        for handle, described in request.variables:
            if described is None:
                held.pop(handle, None)
            else:
                held[handle] = self._received(described)
        views: dict[int, dict[int, CoreVariables]] = {}
        for _, replica, logical in self._lanes:
            views.setdefault(logical, {})[replica] = CoreVariables(held)
        return views

    def _inputs(self, replicas: Sequence[Given]) -> list[list[Array]]:
        """Return the columns of the inputs."""
        known: dict[int, Array] = {}
        rows = {
            given[0]: [self._once(described, known) for described in given[1]]
            for given in replicas
        }
        return [
            list(column)
            for column in zip(
                *(rows[lane.replica] for lane in self._lanes), strict=True
            )
        ]

    def _once(self, described: Described, known: dict[int, Array]) -> Array:
        """Return what is described; messages repeat the object of a description."""
        array = known.get(id(described))
        if array is None:
            array = known[id(described)] = self._received(described)
        return array

    def _left(
        self,
        request: RunRequest,
        results: Sequence[Column],
        variables: dict[int, dict[int, CoreVariables]],
        state: CoreState,
    ) -> list[tuple[Any, ...]]:
        """Return the outcome of the run; its blocks belong to the host from now on."""
        lent, left = len(self._lent), []
        replicas = {given[0]: given for given in request.replicas}
        names = {} if self.events is None else self.events.names
        for place, lane in enumerate(self._lanes):
            outputs: list[Described | None] = []
            written: list[tuple[str, Described]] = []
            _, _, _, reports, blocks = replicas[lane.replica]
            if lane.logical == 0:
                arrays = [column[place] for column in results]
                outputs = list(map(self._delivered, arrays, blocks))
                if reports:
                    written = [
                        (handle, self._described(value))
                        for handle, value in variables[0][lane.replica].written.items()
                    ]
            draws = list(state.draws[lane.replica].items())
            trace = names.get(lane.core, [])
            left.append(tuple(Results(lane.core, outputs, written, draws, trace)))
        del self._lent[lent:]
        return left

    def _send_events(self) -> None:
        """Send the events of the run if the host records it."""
        events = self.events
        if events is not None and events.capacity:
            for lane in self._lanes:
                noted, taken = events.noted[lane.core], events.taken(lane.core)
                self._channel.send(("events", lane.core, noted, taken))
        self.events = None

    def _tell_of_output(self) -> None:
        """Tell the host if this process has written to its standard streams."""
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
        """Describe an array; a large one is lent, in this process's heap."""
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

    def send(self, lane: Lane, peer: Peer, value: Array) -> None:
        """Send a value from a core of this process to any other."""
        kind, number = peer
        if kind == TO_CORE:
            target = self._placement[lane.replica][number]
            sender: Peer = kind, lane.logical
        else:
            target = self._placement[number][lane.logical]
            sender = kind, lane.replica
        if self._split.carrier(target) == self._number:
            self._arrived.setdefault((target, sender), deque()).append(value)
        else:
            self._channel.send(("pass", target, sender, self._described(value)))

    def receive(self, lane: Lane, peer: Peer) -> Array:
        """Return the next value for a core of this process from another."""
        waiting = self._arrived.setdefault((lane.core, peer), deque())
        while not waiting:
            self._take(self._channel.receive())
        return waiting.popleft()

    def call_host(
        self, path: Path, calls: Sequence[tuple[Lane, Sequence[Array]]]
    ) -> Sequence[Sequence[Array]]:
        """Let the host run the instruction at `path` for some cores."""
        lent = len(self._lent)
        for lane, inputs in calls:
            described = [self._described(array) for array in inputs]
            self._channel.send(("call", lane.core, path, described))
        while len(self._answered) < len(calls):
            self._take(self._channel.receive())
        self._free(self._lent[lent:])
        del self._lent[lent:]
        return [self._answered.pop(lane.core) for lane, _ in calls]

    def _take(self, message: tuple[Any, ...]) -> None:
        """Keep a value from another core, or an answer of the host."""
        if message[0] == "value":
            arrived = self._arrived.setdefault((message[1], message[2]), deque())
            arrived.append(self._received(message[3]))
        elif message[0] == "answer":
            self._answered[message[1]] = [inline_array(item) for item in message[2]]
        else:
            raise Stopped

    def collective(self, instr: Instr, lanes: Sequence[Lane]) -> ReplicaSum:
        """Return the function that takes part in a sum over replicas."""
        return ReplicaSum(self._collectives, instr, lanes)


def _idle_run() -> Run:
    return Run(state=CoreState(0, {}), variables={}, functions={}, timeout=0.0)


def _failure(error: Exception, instr: Instr | None, lane: Lane) -> Failure:
    """Describe an error for the host."""
    replica = lane.replica
    where = f"core {lane.core}, replica {replica}, process {os.getpid()}"
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
    """Run the cores of one process until the host is done with it."""
    processes, number, cores, host, heap_bytes, *passed = map(int, arguments)
    memory, end, lifeline = passed
    _write_lines_at_once()
    faulthandler.enable()
    if STACK_SIGNAL is not None:
        faulthandler.register(STACK_SIGNAL, all_threads=False)
    watch = threading.Thread(target=_watch_lifeline, args=(lifeline, host), daemon=True)
    watch.start()
    np.seterr(all="ignore")  # IEEE 754 says what division by zero and the like give
    split = Split(cores, processes)
    arena = Arena(memory, control_bytes(*split), processes + 1, heap_bytes)
    channel = Channel(socket.socket(fileno=end))
    with contextlib.suppress(EOFError):
        Worker(number, split, arena, channel).serve()
