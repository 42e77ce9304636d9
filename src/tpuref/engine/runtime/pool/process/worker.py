"""A process of the pool: it receives programs, runs them for its cores and replies.

Started by `pool.host.process`, with the descriptors of its socket, of the arena and
of the lifeline.  It ends when the socket closes or the host dies.
"""

import contextlib
import ctypes
import faulthandler
import io
import math
import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from time import monotonic_ns
from typing import Any

import numpy as np

from tpuref.base import errors
from tpuref.base.errors import OpError, ResourceExhaustedError
from tpuref.base.memory import keep_freed_memory
from tpuref.base.processors import usable_processors
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool import control_area, messages
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.core_events import (
    PREPARE,
    TO_CORE,
    CoreEvents,
    Label,
    Peer,
)
from tpuref.engine.runtime.pool.process.arrangement import PlacementPlan
from tpuref.engine.runtime.pool.process.collectives import (
    CoreCollectives,
    Diverged,
    Exchange,
    Stopped,
)
from tpuref.engine.runtime.pool.process.prepared import PreparedProgram
from tpuref.engine.runtime.pool.process.schedule import Path
from tpuref.engine.runtime.pool.process.state import CoreState, CoreVariables
from tpuref.engine.runtime.pool.split import (
    LocalCore,
    LocalCores,
    Placement,
    Split,
    local_cores_of,
)
from tpuref.kernels import flags, links

SPINS = 200
"""The number of polls of a wait, if every process has a processor."""

_STANDARD_ERROR = 2
_BY_LINE = 1  # _IOLBF of <stdio.h>


@dataclass
class PlacedProgram:
    """A program on the cores of this process.

    `placement` has all cores that run it, `local_cores` those of this process,
    `processes` the numbers of all, and `variables` the values that the host has sent.
    `left` are those that the last run has written: the next one reads them if the host
    has kept them.  The first run prepares the program; `prepared` has it by whether
    the processes divide writes.
    """

    program: Program
    placement: Placement
    split: Split
    local_cores: LocalCores
    processes: list[int]
    prepared: dict[bool, PreparedProgram] = field(default_factory=dict)
    variables: dict[str, Array] = field(default_factory=dict)
    left: dict[str, Array] = field(default_factory=dict)

    def spread(self, column: Column) -> Column:
        """Return the column of the cores for one of the replicas."""
        if len(self.local_cores.replicas) == len(self.local_cores):
            return column
        of = dict(zip(self.local_cores.replicas, column, strict=True))
        return [of[local.replica] for local in self.local_cores]

    def led(self, column: Column) -> Column:
        """Return the values of the first cores of replicas."""
        if len(self.local_cores.leading) == len(self.local_cores):
            return column
        return [column[place] for place in self.local_cores.leading]


class Worker:
    """A process: its memory, its links, its cores and their programs."""

    def __init__(
        self, number: int, split: Split, arena: Arena, channel: messages.Channel
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
        self._placed: dict[tuple[int, int], PlacedProgram] = {}
        self._arrived: dict[tuple[int, Peer], deque[Array]] = {}
        self._answered: dict[int, Sequence[Array]] = {}
        self._lent: list[int] = []
        self._new: dict[int, tuple[int, Array]] = {}  # by the id of the array
        self._collectives = CoreCollectives(split, arena, self._heap, self._links)
        self._placed_now: PlacedProgram
        self.local: LocalCore | None = None
        self.events: CoreEvents | None = None
        self.counter = control_area.ProgramCounters(arena.bytes, *split).own(number)
        self._idle = self.run = Run(CoreState(0, {}), {}, {}, timeout=0.0)
        self.runs: dict[int, Run] = {}

    def serve(self) -> None:
        """Serve the host until it closes the channel."""
        self._channel.send(("ready",))
        while True:
            message = self._channel.receive()
            if message[0] == "run":
                self._run(messages.RunRequest(*message[1:]))
            elif message[0] == "program":
                self._sent[message[1]] = pickle.loads(message[2])
            elif message[0] == "place":
                self._place(*message[1:])
            elif message[0] == "forget":
                self._forget(message[1])

    def _place(
        self, program: int, number: int, placement: Placement, processes: int
    ) -> None:
        """Record the placement of a program, and its number of processes."""
        split = Split(self._split.cores, processes)
        every = local_cores_of(split, placement)
        local_cores = every.get(self._number, LocalCores(()))
        placed = PlacedProgram(
            self._sent[program], placement, split, local_cores, sorted(every)
        )
        self._placed[program, number] = placed

    def _forget(self, number: int) -> None:
        del self._sent[number]
        for key in [key for key in self._placed if key[0] == number]:
            del self._placed[key]

    def _prepare(self, placed: PlacedProgram, divides: bool) -> PreparedProgram:
        if divides not in placed.prepared:
            begin = monotonic_ns()
            plan = PlacementPlan(placed.program, len(placed.placement[0]))
            others = placed.processes if divides else [self._number]
            placed.prepared[divides] = PreparedProgram(
                placed.program,
                self,
                placed.local_cores,
                plan,
                processes=len(others),
                number=others.index(self._number),
            )
            if self.events is not None:
                label = Label(None, 0, PREPARE, dict(enumerate(placed.local_cores)))
                self.events.note(label, begin)
        return placed.prepared[divides]

    # -- one run ---------------------------------------------------------------

    def _run(self, request: messages.RunRequest) -> None:
        """Run a request; reply once: done, stopped, diverged or error."""
        placed = self._placed[request.program, request.placement]
        held, state = self._begin(request, placed)
        try:
            inputs = [self._column(placed, column) for column in request.inputs]
            prepared = self._prepare(placed, request.divides)
            results = prepared.run(inputs)
            self.counter[0] = 0
            left = self._left(request, placed, results, held, state, prepared)
            answer: tuple[Any, ...] = ("done", *left)
        except Stopped:
            answer = ("stopped",)
        except Diverged as diverged:
            answer = ("diverged", [tuple(report) for report in diverged.reports])
        except Exception as error:
            # The poison ends the waits of the peers, which then reply ``stopped``.
            self._flags.poison(1)
            instr = control_area.instruction(placed.program, self.counter[0])
            local = self.local or placed.local_cores[0]
            answer = ("error", *_failure(error, instr, local))
        for end in self._links.values():
            end.finish()
        self.run, self.runs = self._idle, {}
        self._send_events()
        self._tell_of_output()
        self._channel.send(answer)

    def _begin(
        self, request: messages.RunRequest, placed: PlacedProgram
    ) -> tuple[dict[int, dict[int, CoreVariables]], CoreState]:
        """Begin a run; return the views of variables and the random draws."""
        unused = [offset for offset, _ in self._new.values()]
        self._free([*request.freed, *self._lent, *unused])
        self._lent.clear()
        self._new.clear()
        self._placed_now = placed
        self._collectives.begin(placed.placement, request.all_reduce)
        self._arrived.clear()
        self._answered.clear()
        observed = request.traced or request.capacity
        self.events = CoreEvents(request.traced, request.capacity) if observed else None
        state = CoreState(
            request.entropy, _draws(placed.local_cores.replicas, request.draws)
        )
        held = self._variables(placed, request)
        self.runs = {
            logical: Run(state, held[logical], {}, request.timeout) for logical in held
        }
        self.run = next(iter(self.runs.values()))
        self.counter[0] = 0
        self.local = None
        for end in self._links.values():
            end.begin(request.run)
        return held, state

    def _variables(
        self, placed: PlacedProgram, request: messages.RunRequest
    ) -> dict[int, dict[int, CoreVariables]]:
        """Return the view of the variables for each logical core of each replica."""
        # Replicas whose components are equal share one array, and so computations.
        receive = messages.sharing(self._receive_array)
        if request.kept:
            placed.variables.update(placed.left)
        placed.left = {}
        for handle, described in request.variables:
            if described is None:
                placed.variables.pop(handle, None)
            else:
                placed.variables[handle] = receive(described)
        views: dict[int, dict[int, CoreVariables]] = {}
        for _, replica, logical in placed.local_cores:
            views.setdefault(logical, {})[replica] = CoreVariables(
                placed.variables, placed.program.handles_on(replica)
            )
        return views

    def _column(
        self, placed: PlacedProgram, described: messages.DescribedColumn
    ) -> Column:
        """Return one input of the cores."""
        received = messages.column_of(
            described, len(placed.local_cores.replicas), self._receive_array
        )
        return placed.spread(received)

    def _left(
        self,
        request: messages.RunRequest,
        placed: PlacedProgram,
        results: Sequence[Column],
        variables: dict[int, dict[int, CoreVariables]],
        state: CoreState,
        prepared: PreparedProgram,
    ) -> messages.Results:
        """Return the results of the run; the host owns their blocks from now on."""
        lent = len(self._lent)
        names = {} if self.events is None else self.events.names
        left = messages.Results(
            outputs=[
                self._deliver(placed, column, block)
                for column, block in zip(results, request.blocks, strict=True)
                if placed.local_cores.leading
            ],
            written=self._new_values(
                request.owners, variables.get(0, {}), prepared.shared
            ),
            draws=[
                (replica, name, count)
                for replica, counts in state.draws.items()
                for name, count in counts.items()
            ],
            trace=list(names.items()),
            unused=list(prepared.unused),
        )
        prepared.unused = frozenset()
        for described, users in left.written:
            array = self._receive_array(described)
            placed.left.update((handle, array) for _, handle in users)
        del self._lent[lent:]
        return left

    def _new_values(
        self,
        owners: Sequence[int],
        views: Mapping[int, CoreVariables],
        shared: Collection[str],
    ) -> list[tuple[messages.Described, list[tuple[int, str]]]]:
        """Describe the new values of variables; an array that replicas share, once.

        Values of `shared` variables are written in the name of replica 0.
        """
        news = [
            (value, (replica, handle))
            for replica, view in views.items()
            if replica in owners
            for handle, value in view.written.items()
        ]
        if shared and 0 not in views:
            own = next(iter(views.values())).written
            news += [(own[handle], (0, handle)) for handle in shared]
        written: dict[int, tuple[messages.Described, list[tuple[int, str]]]] = {}
        for value, user in news:
            if id(value) not in written:
                written[id(value)] = self._describe_new(value), []
            written[id(value)][1].append(user)
        return list(written.values())

    def _send_events(self) -> None:
        """Send the events of the run if the host records it."""
        events = self.events
        if events is not None and events.capacity:
            for local in self._placed_now.local_cores:
                noted, taken = events.noted[local.core], events.taken(local.core)
                self._channel.send(("events", local.core, noted, taken))
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

    def _receive_array(self, described: messages.Described) -> Array:
        return np.asarray(messages.array_of(described, self._arena), order="C")

    def _deliver(
        self, placed: PlacedProgram, column: Column, block: tuple[int, int] | None
    ) -> messages.DescribedColumn | None:
        """Write a result into its blocks and return None, or describe it."""
        arrays = placed.led(column)
        if block is None or any(array.nbytes != block[0] for array in arrays):
            return messages.describe_column(arrays, self._describe)
        size, start = block
        for replica, array in zip(placed.local_cores.leaders, arrays, strict=True):
            place = start + replica * size
            self._arena.view(place, array.shape, array.dtype)[...] = array
        return None

    def _describe(self, array: Array) -> messages.Described:
        """Describe an array; a large one is lent, in this process's heap."""
        if messages.goes_inline(array):
            return messages.describe_inline(array)
        offset, copy = self._heap.copy(array)
        self._lent.append(offset)
        return messages.describe_in_arena(copy, offset)

    def _describe_new(self, value: Array) -> messages.Described:
        """Describe a new value of a variable; the host frees its block."""
        if id(value) not in self._new:
            return self._describe(value)
        offset, _ = self._new.pop(id(value))
        self._lent.append(offset)
        return messages.describe_in_arena(value, offset)

    # -- services for programs -----------------------------------------------

    def new_value(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return memory for a new value of a variable, where the host can read it."""
        size = math.prod(shape) * dtype.itemsize
        if size <= messages.INLINE_BYTES:
            return np.empty(shape, dtype)
        offset = self._heap.allocate(size)
        array = self._arena.view(offset, shape, dtype)
        self._new[id(array)] = offset, array
        return array

    def go_on(self) -> None:
        """Raise if the run was called off."""
        if self._flags.poisoned():
            raise Stopped

    def send(self, local: LocalCore, peer: Peer, value: Array) -> None:
        """Send a value from a core of this process to any other."""
        (kind, number), now = peer, self._placed_now
        if kind == TO_CORE:
            target = now.placement[local.replica][number]
            sender: Peer = kind, local.logical
        else:
            target = now.placement[number][local.logical]
            sender = kind, local.replica
        if now.split.carrier(target) == self._number:
            self._arrived.setdefault((target, sender), deque()).append(value)
        else:
            self._channel.send(("pass", target, sender, self._describe(value)))

    def receive(self, local: LocalCore, peer: Peer) -> Array:
        """Return the next value for a core of this process from another."""
        waiting = self._arrived.setdefault((local.core, peer), deque())
        while not waiting:
            self._take(self._channel.receive())
        return waiting.popleft()

    def call_host(
        self, path: Path, calls: Sequence[tuple[LocalCore, Sequence[Array]]]
    ) -> Sequence[Sequence[Array]]:
        """Let the host run the instruction at `path` for some cores."""
        lent = len(self._lent)
        for local, inputs in calls:
            described = [self._describe(array) for array in inputs]
            self._channel.send(("call", local.core, path, described))
        while len(self._answered) < len(calls):
            self._take(self._channel.receive())
        self._free(self._lent[lent:])
        del self._lent[lent:]
        return [self._answered.pop(local.core) for local, _ in calls]

    def _take(self, message: tuple[Any, ...]) -> None:
        """Store a value from another core, or a reply of the host."""
        if message[0] == "value":
            arrived = self._arrived.setdefault((message[1], message[2]), deque())
            arrived.append(self._receive_array(message[3]))
        elif message[0] == "answer":
            self._answered[message[1]] = [
                messages.inline_array(item) for item in message[2]
            ]
        else:
            raise Stopped

    def exchange(
        self, instrs: Sequence[Instr], local_cores: Sequence[LocalCore]
    ) -> Exchange:
        """Return the sums of these instructions as one exchange."""
        return Exchange(self._collectives, instrs, local_cores)


def _draws(
    replicas: Sequence[int], drawn: Sequence[messages.Drawn]
) -> dict[int, dict[str, int]]:
    """Return the number of evaluations of random operations, by replica."""
    draws: dict[int, dict[str, int]] = {replica: {} for replica in replicas}
    for replica, name, count in drawn:
        draws[replica][name] = count
    return draws


def _failure(
    error: Exception, instr: Instr | None, local: LocalCore
) -> messages.Failure:
    """Describe an error for the host."""
    replica = local.replica
    where = f"core {local.core}, replica {replica}, process {os.getpid()}"
    text = f"{where}:\n" + "".join(traceback.format_exception(error))
    if not isinstance(error, OpError):
        error = _fault(error, instr)
    if f"on replica {replica}" not in error.message:  # as operations do
        error.message = f"on replica {replica}: {error.message}"
    site = error.site
    place = None if site is None else astuple(site)
    return messages.Failure(type(error).__name__, error.message, error.op, place, text)


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
    if messages.STACK_SIGNAL is not None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {messages.STACK_SIGNAL})
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
    """Run the cores of one process until the host closes the channel."""
    processes, number, cores, host, heap_bytes, *passed = map(int, arguments)
    memory, end, lifeline = passed
    _write_lines_at_once()
    keep_freed_memory()
    faulthandler.enable()
    if messages.STACK_SIGNAL is not None:
        faulthandler.register(messages.STACK_SIGNAL, all_threads=False)
    threading.Thread(target=_watch_lifeline, args=(lifeline, host), daemon=True).start()
    np.seterr(all="ignore")  # division by zero and the like follow IEEE 754
    split = Split(cores, processes)
    arena = Arena(memory, control_area.control_bytes(*split), processes + 1, heap_bytes)
    incoming, outgoing = control_area.mailboxes(arena.bytes, *split, number)
    channel = messages.Channel(socket.socket(fileno=end), outgoing, incoming, processes)
    with contextlib.suppress(EOFError):
        Worker(number, split, arena, channel).serve()
