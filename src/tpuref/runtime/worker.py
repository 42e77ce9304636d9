"""The process of one core: receives programs, runs them, answers.

Started by `tpuref.runtime.process`, with the descriptors of its socket, of the arena
and of the lifeline.  It ends when the socket closes, or when the host dies.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import os
import pickle
import select
import signal
import socket
import threading
import traceback
import weakref
import zlib
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import errors
from tpuref.base.errors import OpError, ResourceExhaustedError
from tpuref.kernels import links as kernel
from tpuref.kernels import status
from tpuref.ops.definition import Array
from tpuref.program import Instr, Program
from tpuref.runtime.arena import Arena
from tpuref.runtime.core import CoreProgram, Path
from tpuref.runtime.core_state import CoreState, CoreVariables
from tpuref.runtime.placement_plan import PlacementPlan
from tpuref.runtime.run import Run
from tpuref.runtime.whereabouts import (
    STACK_SIGNAL,
    Whereabouts,
    control_bytes,
    instruction,
)
from tpuref.runtime.wire import (
    INLINE_BYTES,
    Channel,
    Described,
    describe_inline,
    describe_placed,
    describe_strings,
    inline_array,
    placed_dtype,
)

SPINS = 200
"""How often a wait looks again at once, where every core has a processor."""


class Stopped(Exception):
    """Another core failed, and this one gives up its run."""


class Diverged(Exception):
    """The replicas of a group did not reach a collective alike."""

    def __init__(self, instr: Instr, contribution: Array, group: list[int]) -> None:
        super().__init__(instr.name)
        site = instr.site
        self.report = (
            instr.op,
            instr.name,
            (site.filename, site.line, site.function),
            contribution.shape,
            group,
        )


class Core:
    """One core: its memory, its links to the others, its programs."""

    def __init__(self, number: int, cores: int, arena: Arena, channel: Channel) -> None:
        self._number = number
        self._arena = arena
        self._heap = arena.heap(number + 1)
        self._channel = channel
        spins = SPINS if cores <= len(os.sched_getaffinity(0)) else 0
        self._links = kernel.Links(arena.bytes, 0, number, cores, spins)
        self._sent: dict[int, Program] = {}
        self._programs: dict[tuple[int, int, int], CoreProgram] = {}
        self._from_cores: dict[int, deque[Array]] = {}
        self._lent: list[int] = []
        self._groups: dict[tuple[Any, ...], tuple[Array, int]] = {}
        self._retired: list[tuple[int, frozenset[int]]] = []
        self._placement: tuple[tuple[int, ...], ...] = ()
        self._logical = 0
        self.replica = 0
        self.trace: list[str] | None = None
        self.whereabouts = Whereabouts(arena.bytes, cores).own(number)
        self.run: Run = _idle_run()

    def serve(self) -> None:
        """Answer the host until it closes the channel."""
        self._channel.send(("ready", os.getpid()))
        while True:
            message = self._channel.receive()
            if message[0] == "run":
                self._run(*message[1:])
            elif message[0] == "program":
                self._sent[message[1]] = pickle.loads(message[2])
            elif message[0] == "forget":
                self._forget(message[1])

    def _forget(self, number: int) -> None:
        del self._sent[number]
        for key in [key for key in self._programs if key[0] == number]:
            del self._programs[key]

    def _prepared(self, number: int, logical_core: int, cores: int) -> CoreProgram:
        key = number, logical_core, cores
        if key not in self._programs:
            program = self._sent[number]
            plan = PlacementPlan(program, cores)
            self._programs[key] = CoreProgram(program, self, logical_core, plan)
        return self._programs[key]

    # -- one run ---------------------------------------------------------------

    def _run(
        self,
        run: int,
        program: int,
        replica: int,
        logical: int,
        placement: tuple[tuple[int, ...], ...],
        inputs: Sequence[Described],
        variables: Sequence[tuple[str, Described]],
        draws: Sequence[tuple[str, int]],
        entropy: int,
        seconds: float,
        report_writes: bool,
        traced: bool,
        targets: Sequence[tuple[int, int] | None],
        freed: Sequence[int],
    ) -> None:
        self._free([*freed, *self._lent, *(offset for offset, _ in self._retired)])
        self._retired.clear()
        self._lent.clear()
        self._from_cores.clear()
        self.trace = [] if traced else None
        self.replica, self._logical, self._placement = replica, logical, placement
        state = CoreState(entropy, dict(draws))
        held = CoreVariables({h: self._received(d) for h, d in variables})
        self.run = Run(
            state=state,
            variables={replica: held},
            functions={},
            host=None,
            timeout=seconds,
        )
        self.whereabouts[0] = 0
        self._links.begin(run, math.inf)  # deadlines are the host's
        try:
            prepared = self._prepared(program, logical, len(placement[replica]))
            results = prepared.run([self._received(d) for d in inputs])
            self.whereabouts[0] = 0
            lent = len(self._lent)
            outputs = [] if logical else list(map(self._delivered, results, targets))
            written = [
                (handle, self._described(value))
                for handle, value in (held.written.items() if report_writes else ())
            ]
            del self._lent[lent:]  # from now on they are the host's
            draws = tuple(state.draws.items())
            answer: tuple[Any, ...] = (
                "done",
                run,
                outputs,
                written,
                draws,
                self.trace or [],
            )
        except Stopped:
            answer = ("stopped", run)
        except Diverged as diverged:
            answer = ("diverged", run, *diverged.report)
        except Exception as error:
            self._links.poison(1)
            instr = instruction(self._sent[program], self.whereabouts[0])
            answer = ("error", run, *_described_error(error, instr))
        self._links.finish()
        self.run = _idle_run()
        self._channel.send(answer)

    def _free(self, offsets: Sequence[int]) -> None:
        for offset in offsets:
            self._heap.free(offset)

    def _received(self, described: Described) -> Array:
        if isinstance(described[2], int):
            return self._arena.view(described[2], described[1], placed_dtype(described))
        return inline_array(described)

    def _delivered(
        self, array: Array, target: tuple[int, int] | None
    ) -> Described | None:
        """Put a result in its place and return None, or describe it."""
        if target is None or target[1] != array.nbytes:
            return self._described(array)
        self._arena.view(target[0], array.shape, array.dtype)[...] = array
        return None

    def _described(self, array: Array) -> Described:
        """Describe an array; one of some size is lent, in this core's heap."""
        if array.dtype == object:
            return describe_strings(array)
        if array.nbytes <= INLINE_BYTES:
            return describe_inline(array)
        offset = self._heap.allocate(array.nbytes)
        self._lent.append(offset)
        self._arena.view(offset, array.shape, array.dtype)[...] = array
        return describe_placed(array, offset)

    # -- what a program asks for -----------------------------------------------

    def go_on(self) -> None:
        """Give up where the run was called off."""
        if self._links.poisoned():
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

    def _store(self, message: tuple[Any, ...]) -> None:
        """Keep a value that came from another core."""
        if message[0] != "value":
            raise Stopped
        arrived = self._from_cores.setdefault(message[1], deque())
        arrived.append(self._received(message[2]))

    def call_host(self, path: Path, inputs: Sequence[Array]) -> Sequence[Array]:
        """Let the host carry out the instruction at `path`."""
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

    def collective(self, instr: Instr, contribution: Array) -> Array:
        """Take part in a sum over the replicas of a group."""
        members, code = self._group(instr, contribution)
        if len(members) == 1:
            return contribution
        if contribution.nbytes <= status.FLAT_LIMIT:
            return self._flat(instr, contribution, members, code)
        return self._direct(instr, contribution, members, code)

    def _group(self, instr: Instr, contribution: Array) -> tuple[Array, int]:
        # Programs may have different operations of one name.
        name, groups = instr.name, instr.attrs["groups"]
        dtype, shape = contribution.dtype, contribution.shape
        key = (name, groups, dtype, shape, self.replica, self._placement)
        known = self._groups.get(key)
        if known is None:
            group = next(g for g in groups if self.replica in g)
            cores = [self._placement[r][self._logical] for r in sorted(group)]
            label = f"{name} {dtype} {shape}"
            known = np.array(cores, np.int64), zlib.crc32(label.encode())
            self._groups[key] = known
        return known

    def _flat(
        self, instr: Instr, contribution: Array, members: Array, code: int
    ) -> Array:
        source = contribution
        if not source.flags.c_contiguous:
            source = source.copy()
        result = np.empty(source.shape, source.dtype)
        self._check(
            instr,
            source,
            members,
            self._links.flat(
                members,
                source.reshape(-1).view(np.uint8),
                result.reshape(-1).view(np.uint8),
                kernel.dtype_code(source.dtype),
                code,
            ),
        )
        return result

    def _direct(
        self, instr: Instr, contribution: Array, members: Array, code: int
    ) -> Array:
        owns = members[0] == self._number
        target = self._heap.allocate(contribution.nbytes) if owns else 0
        if owns:
            self._lent.append(target)  # in case that this fails
        source = self._arena.offset_of(contribution)
        staged = None
        if source is None:
            source = staged = self._heap.allocate(contribution.nbytes)
            self._arena.view(staged, contribution.shape, contribution.dtype)[...] = (
                contribution
            )
        outcome = self._links.direct(
            members,
            source,
            target,
            contribution.size,
            kernel.dtype_code(contribution.dtype),
            code,
        )
        if staged is not None:
            self._heap.free(staged)
        self._check(instr, contribution, members, outcome)
        taking_part = frozenset(members.tolist())
        self._free_retired(taking_part)
        result = self._arena.view(
            self._links.shared_result, contribution.shape, contribution.dtype
        )
        result.flags.writeable = False
        if owns:
            self._lent.remove(target)
            weakref.finalize(result, self._retired.append, (target, taking_part))
        return result

    def _free_retired(self, taking_part: frozenset[int]) -> None:
        """Free shared results that this core is done with and the others must be.

        Another core drops a result at the same place of the program as this one.  Once
        it has come to a later collective, it has passed that place.
        """
        kept = []
        for offset, readers in self._retired:
            if readers <= taking_part:
                self._heap.free(offset)
            else:
                kept.append((offset, readers))
        self._retired[:] = kept

    def _replica_of(self, core: int) -> int:
        return [cores[self._logical] for cores in self._placement].index(core)

    def _check(
        self, instr: Instr, contribution: Array, members: Array, outcome: int
    ) -> None:
        if outcome == status.OK:
            return
        if outcome == status.POISONED:
            raise Stopped
        replicas = [self._replica_of(int(core)) for core in members]
        raise Diverged(instr, contribution, sorted(replicas))


def _idle_run() -> Run:
    return Run(
        state=CoreState(0, {}), variables={}, functions={}, host=None, timeout=0.0
    )


def _described_error(error: Exception, instr: Instr | None) -> tuple[Any, ...]:
    """Return class, message, operation, user's line and traceback of an error."""
    text = "".join(traceback.format_exception(error))
    if not isinstance(error, OpError):
        error = _fault(error, instr)
    site = error.site
    place = None if site is None else (site.filename, site.line, site.function)
    return type(error).__name__, error.message, error.op, place, text


def _fault(error: Exception, instr: Instr | None) -> OpError:
    """Return the error for a fault that is not one of an operation."""
    kind: type[OpError] = errors.InternalError
    if isinstance(error, MemoryError):
        kind = ResourceExhaustedError
    message = f"a core failed with {type(error).__name__}: {error}"
    if instr is None:
        return kind(message)
    return kind(message, op=instr.name, site=instr.site)


def _watch_lifeline(lifeline: int, host: int) -> None:
    """End this process when the host is gone, where the kernel has not done so."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {STACK_SIGNAL})
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    while True:
        if poll.poll(500) or os.getppid() != host:
            os._exit(1)


def main(arguments: Sequence[str]) -> None:
    """Run one core until the host is done with it."""
    number, cores, host, heap_bytes, memory, end, lifeline = map(int, arguments)
    faulthandler.enable()
    faulthandler.register(STACK_SIGNAL, all_threads=False)
    watch = threading.Thread(target=_watch_lifeline, args=(lifeline, host), daemon=True)
    watch.start()
    arena = Arena(memory, control_bytes(cores), cores + 1, heap_bytes)
    channel = Channel(socket.socket(fileno=end))
    with contextlib.suppress(EOFError):
        Core(number, cores, arena, channel).serve()
