"""How a process takes part in sums over replicas, for the cores that it carries."""

from __future__ import annotations

import itertools
import math
import weakref
import zlib
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import datatype_enum, int32
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.arena import Arena, Heap
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.messages import Divergence
from tpuref.engine.runtime.pool.split import Lane, Split
from tpuref.kernels import links as kernel
from tpuref.kernels import status
from tpuref.kernels.group import Group

Shape = tuple[int, ...]

_INT32 = int32.as_datatype_enum


class Stopped(Exception):
    """The run was called off."""


class Diverged(Exception):
    """The replicas of a group did not reach a collective alike."""

    def __init__(self, instr: Instr, shapes: Mapping[int, Shape], group: Sequence[int]):
        super().__init__(instr.name)
        self.reports = [
            Divergence(
                replica, instr.op, instr.name, astuple(instr.site), shape, list(group)
            )
            for replica, shape in shapes.items()
        ]


class Participants(NamedTuple):
    """Who adds up.

    Attributes
    ----------
    group
        The group, as the links take it.
    replicas
        Its replicas, in the order of summation.
    own
        The place of each contribution of this process, by replica in that order.
    complete
        Whether these are all that this process has to bring.
    lead, following
        The end of the core that is the member, and those of the others that this
        process carries.
    most
        The most contributions that one process brings to any group.
    members
        One core of each process of the group.
    """

    group: Group
    replicas: Sequence[int]
    own: Mapping[int, int]
    complete: bool
    lead: kernel.Links
    following: Sequence[kernel.Links]
    most: int
    members: frozenset[int]


class CoreCollectives:
    """The part of one process in the sums of its cores.

    Parameters
    ----------
    split
        Which process carries which cores.
    arena, heap
        The shared memory, and this process's part of it.
    links
        The end of each core that it carries of the links to the others.

    Attributes
    ----------
    moves
        How often the replicas were given other cores, or sums another algorithm.
    """

    def __init__(
        self,
        split: Split,
        arena: Arena,
        heap: Heap,
        links: Mapping[int, kernel.Links],
    ) -> None:
        self._split = split
        self._arena = arena
        self._heap = heap
        self._links = links
        self._placement: tuple[tuple[int, ...], ...] = ()
        self._algorithm = "auto"
        self.moves = 0
        self._unfinished: list[int] = []
        self._dropped: deque[int] = deque()
        self._retired: list[tuple[int, frozenset[int]]] = []

    def begin(self, placement: tuple[tuple[int, ...], ...], algorithm: str) -> None:
        """Take part in a run; free what earlier runs left."""
        for offset, _ in self._retired:
            self._heap.free(offset)
        for offset in self._unfinished:
            self._heap.free(offset)
        self._retired.clear()
        self._unfinished.clear()
        self._free_dropped()
        if (placement, algorithm) != (self._placement, self._algorithm):
            self._placement, self._algorithm = placement, algorithm
            self.moves += 1

    @property
    def joins(self) -> bool:
        """Whether a vector may be part of a longer one without rounding differently."""
        return self._algorithm != "ring"

    def participants(
        self,
        instr: Instr,
        lanes: Sequence[Lane],
        shapes: Sequence[Shape],
        dtype: np.dtype[Any],
    ) -> list[Participants]:
        """Return the groups that some cores add up in, in an order that all share."""
        logical = max(instr.core, 0)
        places = {lane.replica: place for place, lane in enumerate(lanes)}
        groups = instr.attrs["groups"] or (range(len(self._placement)),)
        cores = [[self._placement[r][logical] for r in sorted(g)] for g in groups]
        carriers = [[self._split.carrier(core) for core in row] for row in cores]
        most = max(max(Counter(row).values()) for row in carriers)
        found = []
        for k, replicas in enumerate(map(sorted, groups)):
            own = {r: places[r] for r in replicas if r in places}
            if not own:
                continue
            shape = shapes[next(iter(own.values()))]
            label = zlib.crc32(f"{instr.name} {dtype} {shape}".encode())
            group = _group(cores[k], carriers[k], datatype_enum(dtype), label)
            lead, *following = [self._links[c] for c in cores[k] if c in self._links]
            complete = len(own) == 1 + len(following)
            members = frozenset(group.members.tolist())
            found.append(
                Participants(
                    group, replicas, own, complete, lead, following, most, members
                )
            )
        return found

    def sum(
        self, known: Participants, instr: Instr, given: Sequence[Array]
    ) -> Sequence[Array]:
        """Return the sum of a group for each contribution of this process."""
        arrays = [given[place] for place in known.own.values()]
        if len(known.replicas) == 1:
            return arrays
        if not known.complete or (len(arrays) > 1 and not _are_alike(arrays)):
            self._refuse(known, instr, given)
        algorithm = ALGORITHMS[self._chosen(arrays[0].nbytes, known.most)]
        results, outcome = algorithm(self, known, arrays)
        if outcome != status.OK:
            self._fail(outcome, known, instr, given)
        for follower in known.following:
            follower.follow(known.lead)
        return results

    def is_small(self, known: Participants, size: int) -> bool:
        """Whether one contribution of the process is summed flat, in one piece."""
        alone = known.complete and len(known.own) == 1 < len(known.replicas)
        whole = known.most * size <= status.FLAT_LIMIT
        return alone and whole and self._chosen(size, known.most) == "flat"

    def small_sum(self, known: Participants, instr: Instr, given: Array) -> Array:
        """Return such a sum."""
        result = np.empty(given.shape, given.dtype)
        source = np.ascontiguousarray(given)
        outcome = known.lead.flat(known.group, source, result)
        if outcome != status.OK:
            self._fail(outcome, known, instr, [given])
        return result

    def places(
        self, known: Participants, shape: Shape, dtype: np.dtype[Any]
    ) -> Array | None:
        """Return memory for each contribution; None if any memory will do."""
        size = dtype.itemsize * math.prod(shape)
        if len(known.replicas) == 1 or self._chosen(size, known.most) == "flat":
            return None
        count = len(known.own)
        return self._dropped_later(
            self._allocated(count * size), (count, *shape), dtype
        )

    def _chosen(self, size: int, most: int) -> str:
        """Return the name of the algorithm for vectors of so many bytes."""
        if self._algorithm != "auto":
            return self._algorithm
        return "flat" if most * size <= status.FLAT_LIMIT else "direct"

    def _refuse(
        self, known: Participants, instr: Instr, given: Sequence[Array]
    ) -> None:
        """Meet the others with something that differs from what they bring."""
        label = zlib.crc32(f"{instr.name} of {sorted(self._links)} alone".encode())
        group = known.group._replace(fingerprint=label, dtype=_INT32, parts=None)
        nothing = np.zeros(1, np.int32)
        outcome = known.lead.flat(group, nothing, nothing)
        if outcome == status.OK:
            outcome = status.MISMATCH
        self._fail(outcome, known, instr, given)

    def _fail(
        self, outcome: int, known: Participants, instr: Instr, given: Sequence[Array]
    ) -> None:
        """Raise the exception for the status of a failed sum."""
        if outcome == status.POISONED:
            raise Stopped
        if outcome in (status.LEFT, status.MISMATCH):
            raise _diverged(known, instr, given)
        shape, dtype = given[0].shape, str(given[0].dtype)
        status.check(outcome, instr.op, shape=shape, dtype=dtype)

    # -- the algorithms --------------------------------------------------------

    def _flat(
        self, known: Participants, given: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum through the staging areas, large vectors in pieces."""
        first = given[0]
        result = np.empty(first.shape, first.dtype)
        if known.most * first.nbytes <= status.FLAT_LIMIT:
            single = len(given) == 1
            source = np.ascontiguousarray(first) if single else np.array(given)
            outcome = known.lead.flat(known.group, source, result)
            return [result] * len(given), outcome
        vectors, totals = np.array(given).reshape(len(given), -1), result.reshape(-1)
        step = status.FLAT_LIMIT // known.most // first.itemsize
        if not step:
            return self._direct(known, given)
        for start in range(0, totals.size, step):
            piece = slice(start, start + step)
            source = np.ascontiguousarray(vectors[:, piece])
            outcome = known.lead.flat(known.group, source, totals[piece])
            if outcome != status.OK:
                break
        return [result] * len(given), outcome

    def _direct(
        self, known: Participants, given: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum into one result for all, in the heap of the first member."""
        first, owns = given[0], known.group.members[0] in self._links
        target = self._allocated(first.nbytes) if owns else 0
        source, _kept = self._side_by_side(given)
        outcome = known.lead.direct(known.group, source, target, first.size)
        if outcome != status.OK:
            return given, outcome
        self._free_retired(known.members)
        result = self._arena.view(known.lead.shared_result, first.shape, first.dtype)
        result.flags.writeable = False
        if owns:
            self._unfinished.remove(target)
            weakref.finalize(result, self._retired.append, (target, known.members))
        return [result] * len(given), outcome

    def _ring(
        self, known: Participants, given: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum chunk by chunk around the ring; each core has its own result."""
        first, count = given[0], len(given)
        target = self._allocated(count * first.nbytes)
        scratch = self._allocated(4 * count * first.size)  # float32 partial sums
        source, _kept = self._side_by_side(given)
        outcome = known.lead.ring(known.group, source, target, scratch, first.size)
        if outcome != status.OK:
            return given, outcome
        self._unfinished.remove(scratch)
        self._heap.free(scratch)
        results = self._dropped_later(target, (count, *first.shape), first.dtype)
        return [results[k, ...] for k in range(count)], outcome

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

    def _side_by_side(self, arrays: Sequence[Array]) -> tuple[int, Any]:
        """Return where the arena has the arrays side by side, and what holds it.

        That is their own memory, or that of copies.
        """
        start, size = self._arena.offset_of(arrays[0]), arrays[0].nbytes
        if start is not None and all(
            self._arena.offset_of(array) == start + k * size
            for k, array in enumerate(arrays[1:], start=1)
        ):
            return start, arrays
        offset = self._allocated(len(arrays) * size)
        shape = len(arrays), *arrays[0].shape
        copies = self._dropped_later(offset, shape, arrays[0].dtype)
        for k, array in enumerate(arrays):
            copies[k] = array
        return offset, copies

    def _free_dropped(self) -> None:
        """Free the blocks whose arrays have died."""
        while self._dropped:
            self._heap.free(self._dropped.popleft())

    def _free_retired(self, taking_part: frozenset[int]) -> None:
        """Free shared results that neither this process nor its readers use any more.

        All drop a result at the same point of the program.  A process that has reached
        a later collective has passed that point.
        """
        kept = []
        for offset, readers in self._retired:
            if readers <= taking_part:
                self._heap.free(offset)
            else:
                kept.append((offset, readers))
        self._retired[:] = kept


Algorithm = Callable[
    [CoreCollectives, Participants, Sequence[Array]], tuple[Sequence[Array], int]
]

ALGORITHMS: dict[str, Algorithm] = {
    "flat": CoreCollectives._flat,
    "direct": CoreCollectives._direct,
    "ring": CoreCollectives._ring,
}
"""The all-reduce algorithms; each returns the sums and the status of the links."""


def _group(
    cores: Sequence[int], carriers: Sequence[int], dtype: int, label: int
) -> Group:
    """Return the group of some cores; one of each process stands for all of it."""
    first = {carrier: carriers.index(carrier) for carrier in carriers}
    members = [cores[place] for place in first.values()]
    order = {carrier: place for place, carrier in enumerate(first)}
    parts = None
    if len(members) < len(cores):
        parts = np.array([order[carrier] for carrier in carriers], np.int64)
    return Group(np.array(members, np.int64), dtype, label, parts)


def _are_alike(arrays: Sequence[Array]) -> bool:
    first = arrays[0]
    return all(array.shape == first.shape for array in arrays[1:])


def _diverged(known: Participants, instr: Instr, given: Sequence[Array]) -> Diverged:
    shapes = {replica: given[place].shape for replica, place in known.own.items()}
    return Diverged(instr, shapes, known.replicas)


class ReplicaSum:
    """One sum of a program, prepared for many runs.

    Parameters
    ----------
    collectives
        The part of this process in sums.
    instr
        The instruction that sums.
    lanes
        The cores that run it.

    Attributes
    ----------
    lanes
        The same.
    """

    def __init__(
        self, collectives: CoreCollectives, instr: Instr, lanes: Sequence[Lane]
    ) -> None:
        self._collectives = collectives
        self._instr = instr
        self.lanes = lanes
        self._known: tuple[Any, ...] = ()
        self._participants: list[Participants] = []
        self._small: tuple[Any, ...] = ()

    def _prepare(self, shapes: list[Shape], dtype: np.dtype[Any]) -> None:
        known = self._collectives.moves, shapes, dtype
        if known == self._known:
            return
        self._participants = self._collectives.participants(
            self._instr, self.lanes, shapes, dtype
        )
        self._known, self._small = known, ()
        size = dtype.itemsize * math.prod(shapes[0])
        if len(shapes) == 1 and self._collectives.is_small(self._participants[0], size):
            self._small = self._collectives.moves, shapes[0], dtype

    def __call__(self, given: Sequence[Array]) -> Sequence[Array]:
        """Return the sum of each contribution's group.

        Of a small sum on the only core of a process, everything else here would take
        more than half of the time, so it comes first.
        """
        first, collectives = given[0], self._collectives
        if self._small == (collectives.moves, first.shape, first.dtype):
            (known,) = self._participants
            return [collectives.small_sum(known, self._instr, first)]
        self._prepare([array.shape for array in given], first.dtype)
        results = list(given)
        for known in self._participants:
            totals = collectives.sum(known, self._instr, given)
            for place, total in zip(known.own.values(), totals, strict=True):
                results[place] = total
        return results

    def places(self, shape: Shape, dtype: np.dtype[Any]) -> list[Array | None]:
        """Return for each contribution memory to compute it in, None for any."""
        self._prepare([shape] * len(self.lanes), dtype)
        found: list[Array | None] = [None] * len(self.lanes)
        for known in self._participants:
            memory = self._collectives.places(known, shape, dtype)
            if memory is not None:
                for rank, place in enumerate(known.own.values()):
                    found[place] = memory[rank, ...]
        return found


class Exchange:
    """Sums of one program that need nothing of each other, prepared for many runs.

    Each core brings one vector that has all its contributions side by side.  Every
    element is summed as in a sum of its own, so the bits are the same.

    Parameters
    ----------
    collectives
        The part of this process in sums.
    instrs
        The instructions that sum; their shapes are known if there are several.
    lanes
        The cores that run them.

    Attributes
    ----------
    lanes
        The same.
    sums
        Each sum by itself.
    """

    def __init__(
        self,
        collectives: CoreCollectives,
        instrs: Sequence[Instr],
        lanes: Sequence[Lane],
    ) -> None:
        self.lanes = lanes
        self.sums = [ReplicaSum(collectives, instr, lanes) for instr in instrs]
        self._collectives = collectives
        self._together = ReplicaSum(collectives, instrs[0], lanes)
        self._shapes: list[Shape] = []
        if len(instrs) > 1:
            self._shapes = [_shape(instr) for instr in instrs]
        sizes = [math.prod(shape) for shape in self._shapes]
        ends = list(itertools.accumulate(sizes, initial=0))
        self._parts = [slice(*pair) for pair in itertools.pairwise(ends)]
        self._length = ends[-1]
        self._vectors: list[Array | None] | None = None
        self._places: dict[int, list[Array]] = {}

    def joins(self, given: Sequence[Column]) -> bool:
        """Return whether the contributions to all sums can be added as one vector."""
        return self._collectives.joins and all(
            array.shape == shape
            for column, shape in zip(given, self._shapes, strict=True)
            for array in column
        )

    def __call__(self, given: Sequence[Column]) -> list[Sequence[Array]]:
        """Return the sums of each instruction, for the contributions to each."""
        totals = self._together(self._side_by_side(given))
        self._forget()
        shared = all(total is totals[0] for total in totals)
        different = totals[:1] if shared else totals
        found: list[Sequence[Array]] = []
        for part, shape in zip(self._parts, self._shapes, strict=True):
            column = [total[part].reshape(shape) for total in different]
            found.append(column * len(totals) if shared else column)
        return found

    def one(self, number: int, column: Column) -> Sequence[Array]:
        """Return one of the sums, taken by itself."""
        if number == len(self.sums) - 1:
            self._forget()
        return self.sums[number](column)

    def places(
        self, number: int, shape: Shape, dtype: np.dtype[Any]
    ) -> list[Array | None]:
        """Return memory to compute the contributions to a sum in, None for any."""
        if len(self.sums) == 1 or not self._collectives.joins:
            return self.sums[number].places(shape, dtype)
        part, found = self._parts[number], self._memory(dtype)
        if shape != self._shapes[number] or any(vector is None for vector in found):
            return [None] * len(found)
        self._places[number] = [v[part].reshape(shape) for v in found if v is not None]
        return list(self._places[number])

    def _memory(self, dtype: np.dtype[Any]) -> Sequence[Array | None]:
        """Return where the vectors of the cores are to lie, None for anywhere."""
        if self._vectors is None:
            self._vectors = self._together.places((self._length,), dtype)
        return self._vectors

    def _forget(self) -> None:
        """Leave the memory to the values that lie in it."""
        self._vectors = None
        self._places.clear()

    def _side_by_side(self, given: Sequence[Column]) -> list[Array]:
        """Return the vector of each core, with all its contributions."""
        found = []
        for place, vector in enumerate(self._memory(given[0][0].dtype)):
            arrays = [column[place] for column in given]
            if vector is None:
                vector = np.concatenate([array.reshape(-1) for array in arrays])
            else:
                for number, array in enumerate(arrays):
                    there = self._places.get(number)
                    if there is None or array is not there[place]:
                        vector[self._parts[number]] = array.reshape(-1)
            found.append(vector)
        return found


class Addend(NamedTuple):
    """What the cores contribute to one of the sums of an exchange.

    Attributes
    ----------
    exchange
        The exchange.
    number
        Which of its sums.
    """

    exchange: Exchange
    number: int

    @property
    def lanes(self) -> Sequence[Lane]:
        """The cores that contribute."""
        return self.exchange.lanes

    def places(self, shape: Shape, dtype: np.dtype[Any]) -> list[Array | None]:
        """Return memory to compute the contributions in, None for any."""
        return self.exchange.places(self.number, shape, dtype)


def _shape(instr: Instr) -> Shape:
    return tuple(size or 0 for size in instr.specs[0].shape.as_list())
