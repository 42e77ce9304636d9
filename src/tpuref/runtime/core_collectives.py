"""How a core takes part in sums over replicas."""

from __future__ import annotations

import weakref
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import datatype_enum
from tpuref.kernels import links as kernel
from tpuref.kernels import status
from tpuref.kernels.group import Group
from tpuref.ops.meaning import Array
from tpuref.program import Instr
from tpuref.runtime.arena import Arena, Heap
from tpuref.runtime.messages import Divergence


class Stopped(Exception):
    """The run was called off."""


class Diverged(Exception):
    """The replicas of a group did not reach a collective alike."""

    def __init__(self, instr: Instr, contribution: Array, group: list[int]) -> None:
        super().__init__(instr.name)
        self.report = Divergence(
            instr.op, instr.name, astuple(instr.site), contribution.shape, group
        )


class Participants(NamedTuple):
    """Who adds up.

    Attributes
    ----------
    group
        The group, as the links take it.
    readers
        The cores of the group.
    """

    group: Group
    readers: frozenset[int]


class CoreCollectives:
    """One core's part in the sums of its replica.

    Parameters
    ----------
    core
        The number of the core.
    arena, heap
        The shared memory, and this core's part of it.
    links
        The core's end of the links to the others.

    Attributes
    ----------
    moves
        How often this core was given another replica or placement.
    """

    def __init__(
        self, core: int, arena: Arena, heap: Heap, links: kernel.Links
    ) -> None:
        self._core = core
        self._arena = arena
        self._heap = heap
        self._links = links
        self._replica = self._logical = 0
        self._placement: tuple[tuple[int, ...], ...] = ()
        self._algorithm = "auto"
        self.moves = 0
        self._unfinished: list[int] = []
        self._dropped: deque[int] = deque()
        self._retired: list[tuple[int, frozenset[int]]] = []

    def begin(
        self,
        replica: int,
        logical: int,
        placement: tuple[tuple[int, ...], ...],
        algorithm: str,
    ) -> None:
        """Take part in a run; free what earlier runs left."""
        for offset, _ in self._retired:
            self._heap.free(offset)
        for offset in self._unfinished:
            self._heap.free(offset)
        self._retired.clear()
        self._unfinished.clear()
        self._free_dropped()
        self._algorithm = algorithm
        position = replica, logical, placement
        if position != (self._replica, self._logical, self._placement):
            self._replica, self._logical, self._placement = position
            self.moves += 1

    def out_for(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array | None:
        """Return memory to compute a contribution in; None if any memory will do."""
        size = dtype.itemsize * int(np.prod(shape))
        if self._chosen(size) == "flat":
            return None
        return self._dropped_later(self._allocated(size), shape, dtype)

    def shared(self, array: Array) -> Array:
        """Return an array, copied if a sum cannot read it where it is."""
        return array if self._chosen(array.nbytes) == "flat" else self._shared(array)

    def sum(self, known: Participants, instr: Instr, contribution: Array) -> Array:
        """Return the sum of the contributions of this replica's group."""
        if len(known.readers) == 1:
            return contribution
        algorithm = ALGORITHMS[self._chosen(contribution.nbytes)]
        result, outcome = algorithm(self, known, contribution)
        if outcome != status.OK:
            self._fail(outcome, known, instr, contribution)
        return result

    def participants(self, instr: Instr, contribution: Array) -> Participants:
        """Return who adds up such contributions in this run."""
        groups, dtype = instr.attrs["groups"], contribution.dtype
        replicas = next(sorted(g) for g in groups if self._replica in g)
        cores = [self._placement[replica][self._logical] for replica in replicas]
        label = f"{instr.name} {dtype} {contribution.shape}"
        fingerprint = zlib.crc32(label.encode())
        group = Group(np.array(cores, np.int64), datatype_enum(dtype), fingerprint)
        return Participants(group, frozenset(cores))

    def _chosen(self, size: int) -> str:
        """Return the name of the algorithm for vectors of so many bytes."""
        if self._algorithm != "auto":
            return self._algorithm
        return "flat" if size <= status.FLAT_LIMIT else "direct"

    def _fail(
        self, outcome: int, known: Participants, instr: Instr, contribution: Array
    ) -> None:
        """Raise the exception for the status of a failed sum."""
        if outcome == status.POISONED:
            raise Stopped
        if outcome in (status.LEFT, status.MISMATCH):
            replicas = [self._replica_of(core) for core in known.readers]
            raise Diverged(instr, contribution, sorted(replicas))
        shape, dtype = contribution.shape, str(contribution.dtype)
        status.check(outcome, instr.op, shape=shape, dtype=dtype)

    def _replica_of(self, core: int) -> int:
        return [cores[self._logical] for cores in self._placement].index(core)

    # -- the algorithms --------------------------------------------------------

    def _flat(self, known: Participants, contribution: Array) -> tuple[Array, int]:
        """Sum through the staging areas, a large vector in pieces."""
        source = np.ascontiguousarray(contribution)
        result = np.empty(contribution.shape, contribution.dtype)
        if source.nbytes <= status.FLAT_LIMIT:
            return result, self._links.flat(known.group, source, result)
        parts, totals = source.reshape(-1), result.reshape(-1)
        step = status.FLAT_LIMIT // source.itemsize
        for start in range(0, parts.size, step):
            piece = slice(start, start + step)
            outcome = self._links.flat(known.group, parts[piece], totals[piece])
            if outcome != status.OK:
                break
        return result, outcome

    def _direct(self, known: Participants, contribution: Array) -> tuple[Array, int]:
        """Sum into one result for all, in the heap of the first member."""
        owns = known.group.members[0] == self._core
        target = self._allocated(contribution.nbytes) if owns else 0
        source = self._shared(contribution)
        outcome = self._links.direct(
            known.group, self._offset(source), target, contribution.size
        )
        if outcome != status.OK:
            return contribution, outcome
        self._free_retired(known.readers)
        result = self._arena.view(
            self._links.shared_result, contribution.shape, contribution.dtype
        )
        result.flags.writeable = False
        if owns:
            self._unfinished.remove(target)
            weakref.finalize(result, self._retired.append, (target, known.readers))
        return result, outcome

    def _ring(self, known: Participants, contribution: Array) -> tuple[Array, int]:
        """Sum chunk by chunk around the ring; each core has its own result."""
        target = self._allocated(contribution.nbytes)
        scratch = self._allocated(4 * contribution.size)  # float32 partial sums
        source = self._shared(contribution)
        outcome = self._links.ring(
            known.group, self._offset(source), target, scratch, contribution.size
        )
        if outcome != status.OK:
            return contribution, outcome
        self._unfinished.remove(scratch)
        self._heap.free(scratch)
        result = self._dropped_later(target, contribution.shape, contribution.dtype)
        return result, outcome

    # -- memory ----------------------------------------------------------------

    def _allocated(self, size: int) -> int:
        """Return a block that is freed if the run fails."""
        self._free_dropped()
        offset = self._heap.allocate(size)
        self._unfinished.append(offset)
        return offset

    def _dropped_later(
        self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Array:
        """Return the array in a block that is freed when the array dies."""
        array = self._arena.view(offset, shape, dtype)
        self._unfinished.remove(offset)
        weakref.finalize(array, self._dropped.append, offset)
        return array

    def _shared(self, array: Array) -> Array:
        """Return an array in the arena: this one or a copy."""
        if self._arena.offset_of(array) is not None:
            return array
        offset = self._allocated(array.nbytes)
        copy = self._dropped_later(offset, array.shape, array.dtype)
        copy[...] = array
        return copy

    def _offset(self, array: Array) -> int:
        offset = self._arena.offset_of(array)
        assert offset is not None
        return offset

    def _free_dropped(self) -> None:
        """Free the blocks whose arrays have died."""
        while self._dropped:
            self._heap.free(self._dropped.popleft())

    def _free_retired(self, taking_part: frozenset[int]) -> None:
        """Free shared results that neither this core nor its readers use any more.

        All cores drop a result at the same point of the program.  A core that has
        reached a later collective has passed that point.
        """
        kept = []
        for offset, readers in self._retired:
            if readers <= taking_part:
                self._heap.free(offset)
            else:
                kept.append((offset, readers))
        self._retired[:] = kept


Algorithm = Callable[[CoreCollectives, Participants, Array], tuple[Array, int]]

ALGORITHMS: dict[str, Algorithm] = {
    "flat": CoreCollectives._flat,
    "direct": CoreCollectives._direct,
    "ring": CoreCollectives._ring,
}
"""The all-reduce algorithms; each returns the sum and the status of the links."""


class ReplicaSum:
    """One sum of a program, prepared for many runs.

    Parameters
    ----------
    collectives
        The core's part in sums.
    instr
        The instruction that sums.
    """

    def __init__(self, collectives: CoreCollectives, instr: Instr) -> None:
        self._collectives = collectives
        self._instr = instr
        self._known: tuple[Any, ...] = ()
        self._participants: Participants

    def __call__(self, contribution: Array) -> Array:
        """Return the sum of the contributions of this replica's group."""
        known = self._collectives.moves, contribution.shape, contribution.dtype
        if known != self._known:
            self._participants = self._collectives.participants(
                self._instr, contribution
            )
            self._known = known
        return self._collectives.sum(self._participants, self._instr, contribution)
