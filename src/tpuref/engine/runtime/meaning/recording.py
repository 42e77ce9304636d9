"""A recording of the work of the host and the cores over time, for a profile.

::

    host, lockstep       each instruction is noted as it runs
    core of the pool     keeps its own events, and sends them when its run is over

Each track keeps its latest events only, so a long program needs no more memory than a
short one.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from time import monotonic_ns
from typing import Any, NamedTuple

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.run import CarryOut, Operands, Run
from tpuref.engine.runtime.pool.core_events import (
    BLOCK,
    COLLECTIVE,
    HOST_CALL,
    SEND,
    TO_CORE,
    CoreEvent,
    kind,
)

CAPACITY = 50_000
"""How many events each track keeps."""

STEP = "step"
"""The kind of an event of the host before or after a program."""

Meeting = tuple[Any, ...]
"""What identifies one collective or transfer, the same on all of its cores."""


class Track(NamedTuple):
    """Where something happens: a thread of the host, or a core."""

    # The job of the TPU system, None for the host
    job: str | None
    # The physical core, or what identifies the thread
    number: int
    # What it is called
    name: str


class Event(NamedTuple):
    """Something that took time.

    `begin` and `end` are nanoseconds of the monotonic clock.  `place` is the replica
    and logical core, None outside of replicated computations.  `outputs` has the shape
    and bytes of each value, `meetings` the collective or the values transferred,
    `group` the size of the collective's group.
    """

    name: str
    kind: str
    begin: int
    end: int
    instr: Instr | None = None
    place: tuple[int, int] | None = None
    outputs: tuple[tuple[tuple[int, ...], int], ...] = ()
    meetings: tuple[Meeting, ...] = ()
    group: int = 0
    details: Mapping[str, Any] | None = None


class Recording:
    """The latest events of each track.

    `began` is in nanoseconds of the monotonic clock; `capacity` counts events per
    track.
    """

    def __init__(self) -> None:
        self.began = monotonic_ns()
        self.capacity = CAPACITY
        self._tracks: dict[Track, deque[Event]] = {}
        self._noted: dict[Track, int] = {}
        self._lock = threading.Lock()
        self._serial = itertools.count()

    def add(self, track: Track, events: Sequence[Event], noted: int) -> None:
        """Keep the latest of `noted` events."""
        with self._lock:
            self._tracks.setdefault(track, deque(maxlen=self.capacity)).extend(events)
            self._noted[track] = self._noted.get(track, 0) + noted

    def tracks(self) -> dict[Track, tuple[list[Event], int]]:
        """Return the kept events of each track, and how many there were."""
        with self._lock:
            return {
                track: (list(kept), self._noted[track])
                for track, kept in self._tracks.items()
            }

    def on_host(
        self,
        name: str,
        begin: int,
        nbytes: int = 0,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record an event of this host thread from `begin` to now."""
        event = Event(
            name,
            STEP,
            begin,
            monotonic_ns(),
            outputs=(((), nbytes),) if nbytes else (),
            details=details,
        )
        self.add(_this_thread(), [event], 1)

    def next_serial(self) -> int:
        """Return a number that no other run has."""
        return next(self._serial)


class RunEvents:
    """The events that one run adds to a recording.

    `recording` is the recording.  `job` is the job of the TPU system, None outside of
    replicated computations.  `cores` are the physical cores, by replica and logical
    core.
    """

    def __init__(
        self,
        recording: Recording,
        job: str | None = None,
        cores: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        self._recording = recording
        self._job = job
        self._cores = cores
        self._serial = recording.next_serial()
        self._met: dict[tuple[int, int], int] = {}

    def within(self, job: str, cores: tuple[tuple[int, ...], ...]) -> RunEvents:
        """Return the events of a replicated computation of this run."""
        return RunEvents(self._recording, job, cores)

    @property
    def capacity(self) -> int:
        """How many events each core keeps."""
        return self._recording.capacity

    def on_host(self, name: str, begin: int, nbytes: int = 0) -> None:
        """Record an event of this host thread from `begin` to now."""
        self._recording.on_host(name, begin, nbytes)

    # -- in this process -------------------------------------------------------

    def observe(
        self, instr: Instr, operands: Operands, run: Run, carry_out: CarryOut
    ) -> dict[int, Sequence[Array]]:
        """Run an instruction, and note for each replica when."""
        # A loop is run for all replicas together, so only what is inside it is noted.
        constant = instr.definition.traits.constant
        if constant or (self._job is not None and instr.blocks):
            return carry_out(instr, operands, run)
        if kind(instr) in (COLLECTIVE, BLOCK):
            return self._observe(instr, operands, run, carry_out)
        results: dict[int, Sequence[Array]] = {}
        for replica, arrays in operands.items():
            results.update(self._observe(instr, {replica: arrays}, run, carry_out))
        return results

    def _observe(
        self, instr: Instr, operands: Operands, run: Run, carry_out: CarryOut
    ) -> dict[int, Sequence[Array]]:
        begin = monotonic_ns()
        results: dict[int, Sequence[Array]] = {}
        try:
            results = carry_out(instr, operands, run)
        finally:
            end = monotonic_ns()
            for replica in operands:
                made = results.get(replica, ())
                shapes = tuple((np.shape(a), np.asarray(a).nbytes) for a in made)
                self._note(instr, replica, begin, end, shapes)
        return results

    def _note(
        self,
        instr: Instr,
        replica: int,
        begin: int,
        end: int,
        shapes: tuple[tuple[tuple[int, ...], int], ...],
    ) -> None:
        what, track, place = kind(instr), _this_thread(), None
        meetings: tuple[Meeting, ...] = ()
        group = 0
        if self._job is not None:
            logical = max(0, instr.core)
            place = replica, logical
            if instr.core != HOST and what != HOST_CALL:
                track = self._track(replica, logical)
            if what == COLLECTIVE:
                times = self._met.get((id(instr), replica), 0)
                self._met[id(instr), replica] = times + 1
                meetings, group = self._collective(instr, replica, logical, times)
        event = Event(
            instr.name, what, begin, end, instr, place, shapes, meetings, group
        )
        self._recording.add(track, [event], 1)

    def _track(self, replica: int, logical: int) -> Track:
        core = self._cores[replica][logical]
        return Track(self._job, core, f"core {core}")

    # -- from the cores --------------------------------------------------------

    def take(
        self,
        program: Program,
        replica: int,
        logical: int,
        noted: int,
        events: Sequence[CoreEvent],
    ) -> None:
        """Add the events that a core recorded in this run."""
        instrs = list(program.all_instrs())
        here = replica, logical
        taken = [self._event(instrs, here, event) for event in events]
        self._recording.add(self._track(replica, logical), taken, noted)

    def _event(
        self, instrs: Sequence[Instr], here: tuple[int, int], event: CoreEvent
    ) -> Event:
        number, what, begin, end, meetings, shapes = event
        instr = instrs[number - 1] if number else None
        if what == COLLECTIVE:
            assert instr is not None
            met, group = self._collective(instr, *here, meetings[0])
            return Event(instr.name, what, begin, end, instr, here, shapes, met, group)
        met = tuple(self._transfer(what, here, meeting) for meeting in meetings)
        name = what if instr is None or met else instr.name
        return Event(name, what, begin, end, instr, here, shapes, met)

    def _collective(
        self, instr: Instr, replica: int, logical: int, times: int
    ) -> tuple[tuple[Meeting, ...], int]:
        """Return the identity of a collective, and the number of its cores."""
        groups = instr.attrs.get("groups") or (tuple(range(len(self._cores))),)
        group = next(tuple(sorted(g)) for g in groups if replica in g)
        return ((self._serial, id(instr), group, logical, times),), len(group)

    def _transfer(
        self, what: str, here: tuple[int, int], meeting: Sequence[int]
    ) -> Meeting:
        peer, number, times = meeting
        replica, logical = here
        there = (replica, number) if peer == TO_CORE else (number, logical)
        ends = (here, there) if what == SEND else (there, here)
        return (self._serial, *ends, times)


def _this_thread() -> Track:
    thread = threading.current_thread()
    return Track(None, thread.ident or 0, thread.name)


# -- the one under way --------------------------------------------------------

_active: list[Recording] = []
"""The recording under way, if any. Only `start` and `stop` change it."""


def start(recording: Recording) -> None:
    """Have all runs add to a recording from now on."""
    _active[:] = [recording]


def stop() -> None:
    """Have no run add to it from now on."""
    _active.clear()


def active() -> Recording | None:
    """Return the recording that is under way, None for none."""
    return _active[0] if _active else None


def note_on_host(name: str, begin: int) -> None:
    """Record an event of this thread from `begin` to now, if a recording runs."""
    if _active:
        _active[0].on_host(name, begin)


def events_of_run() -> RunEvents | None:
    """Return the events of a run that begins now, None without a recording."""
    return RunEvents(_active[0]) if _active else None
