"""Sums over replicas: the part of one process, for its cores.

One core of the process, the lead, is the member of the group on the links and brings
the contributions of all its cores; the others follow its progress.  Small vectors go
through the staging areas of the links, and every member folds all (`flat`).  Large ones
lie in the arena, and each member folds one chunk of all vectors into a single result
that all share (`direct`).  Both add in the order of replicas, so their bits are equal.
`ring` adds each chunk in another order (`tpuref.kernels.schedule`).
"""

import functools
import itertools
import math
import weakref
import zlib
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import datatype_enum, float64, int32
from tpuref.base.shapes import static_sizes
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.arena import Arena, Heap
from tpuref.engine.runtime.pool.columns import Column, Stacked
from tpuref.engine.runtime.pool.messages import Divergence
from tpuref.engine.runtime.pool.process.summed_products import Tiling
from tpuref.engine.runtime.pool.split import LocalCore, Split
from tpuref.kernels import links as kernel
from tpuref.kernels import products, status
from tpuref.kernels.group import Group
from tpuref.kernels.schedule import chunk_slice

Shape = tuple[int, ...]

_INT32, _FLOAT64 = int32.as_datatype_enum, float64.as_datatype_enum
_OFFSET = np.dtype(np.int64)


class Stopped(Exception):
    """The run was called off."""


class Diverged(Exception):
    """The replicas of a group reached different collectives."""

    def __init__(self, instr: Instr, shapes: Mapping[int, Shape], group: Sequence[int]):
        super().__init__(instr.name)
        self.reports = [
            Divergence(
                replica, instr.op, instr.name, astuple(instr.site), shape, list(group)
            )
            for replica, shape in shapes.items()
        ]


Algorithm = Callable[
    ["CoreCollectives", "Participants", Sequence[Array]], tuple[Sequence[Array], int]
]
"""A function that returns the sums and the status of the links."""


class Participants(NamedTuple):
    """A group of replicas that sum, and the part of this process in it.

    `own` has the place of each contribution of this process, by replica in the order of
    summation.  It is `complete` if every core of this process in the group contributes.
    `lead` are the links of the core that is the member, `following` those of the
    others; `leads` says whether it is the first member.  `most` is the most
    contributions of one process to any group; `members` are one core of each process.
    """

    group: Group
    replicas: Sequence[int]
    own: Mapping[int, int]
    complete: bool
    lead: kernel.Links
    following: Sequence[kernel.Links]
    leads: bool
    most: int
    members: frozenset[int]
    algorithm: Algorithm


class _OpenSum(NamedTuple):
    """A sum of products of which other members may still write their rows.

    `block` is the offset of the copied factors, `target` that of the result.
    """

    part: Participants
    instr: Instr
    block: int
    result: Array
    target: int


class CoreCollectives:
    """The part of one process in the sums of its cores.

    `moves` counts changes of the placement or the algorithm, for caches.
    """

    def __init__(
        self, split: Split, arena: Arena, heap: Heap, links: Mapping[int, kernel.Links]
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
        self._open: list[_OpenSum] = []

    def begin(self, placement: tuple[tuple[int, ...], ...], algorithm: str) -> None:
        """Take part in a run; free the blocks that earlier runs left."""
        for offset, _ in self._retired:
            self._heap.free(offset)
        for offset in self._unfinished:
            self._heap.free(offset)
        self._retired.clear()
        self._unfinished.clear()
        self._open.clear()
        self._free_dropped()
        if (placement, algorithm) != (self._placement, self._algorithm):
            self._placement, self._algorithm = placement, algorithm
            self.moves += 1

    @property
    def joins(self) -> bool:
        """Whether vectors may be concatenated: in a ring, chunks decide the order."""
        return self._algorithm != "ring"

    def participants(
        self,
        instr: Instr,
        local_cores: Sequence[LocalCore],
        shapes: Sequence[Shape],
        dtype: np.dtype[Any],
    ) -> list[Participants]:
        """Return the groups of some cores, in the same order on all processes."""
        logical = max(instr.core, 0)
        places = {local.replica: place for place, local in enumerate(local_cores)}
        groups = instr.attrs["groups"] or (range(len(self._placement)),)
        cores = [[self._placement[r][logical] for r in sorted(g)] for g in groups]
        carriers = [[self._split.carrier(core) for core in row] for row in cores]
        most = max(max(Counter(row).values()) for row in carriers)
        groups_here = []
        for k, replicas in enumerate(map(sorted, groups)):
            own = {r: places[r] for r in replicas if r in places}
            if not own:
                continue
            shape = shapes[next(iter(own.values()))]
            label = zlib.crc32(f"{instr.name} {dtype} {shape}".encode())
            group = _group(cores[k], carriers[k], datatype_enum(dtype), label)
            lead, *following = [self._links[c] for c in cores[k] if c in self._links]
            complete = len(own) == 1 + len(following)
            members = group.members.tolist()
            leads = members[0] in self._links
            size = dtype.itemsize * math.prod(shape)
            algorithm = ALGORITHMS[self._algorithm_for(size, most)]
            groups_here.append(
                Participants(
                    group,
                    replicas,
                    own,
                    complete,
                    lead,
                    following,
                    leads,
                    most,
                    frozenset(members),
                    algorithm,
                )
            )
        return groups_here

    def sum(
        self, part: Participants, instr: Instr, arrays: Sequence[Array]
    ) -> Sequence[Array]:
        """Return the sum of a group for each contribution of this process to it."""
        if len(part.replicas) == 1:
            return arrays
        are_alike = arrays.__class__ is Stacked or _are_alike(arrays)
        if not part.complete or not are_alike:
            self._refuse(part, instr, arrays)
        results, outcome = part.algorithm(self, part, arrays)
        if outcome != status.OK:
            self._fail(outcome, part, instr, arrays)
        for follower in part.following:
            follower.follow(part.lead)
        return results

    def places(
        self, part: Participants, shape: Shape, dtype: np.dtype[Any]
    ) -> Array | None:
        """Return memory for each contribution, None if they may be anywhere."""
        size = dtype.itemsize * math.prod(shape)
        if len(part.replicas) == 1 or self._algorithm_for(size, part.most) == "flat":
            return None
        count = len(part.own)
        return self._dropped_later(self._allocate(count * size), (count, *shape), dtype)

    def _algorithm_for(self, size: int, most: int) -> str:
        """Return the name of the algorithm for vectors of `size` bytes."""
        if self._algorithm != "auto":
            return self._algorithm
        return "flat" if most * size <= status.FLAT_LIMIT else "direct"

    def _refuse(
        self, part: Participants, instr: Instr, arrays: Sequence[Array]
    ) -> None:
        """Join the collective with a fingerprint that no other has, so that all fail.

        If this process only raised its error, the peers would wait for it.
        """
        label = zlib.crc32(f"{instr.name} of {sorted(self._links)} alone".encode())
        group = part.group._replace(fingerprint=label, dtype=_INT32, parts=None)
        nothing = np.zeros(1, np.int32)
        outcome = part.lead.flat(group, nothing, nothing)
        if outcome == status.OK:
            outcome = status.MISMATCH
        self._fail(outcome, part, instr, arrays)

    def _fail(
        self, outcome: int, part: Participants, instr: Instr, arrays: Sequence[Array]
    ) -> None:
        """Raise the exception for the status of a failed sum."""
        if outcome == status.POISONED:
            raise Stopped
        if outcome in (status.LEFT, status.MISMATCH):
            raise _divergence(part, instr, arrays)
        shape, dtype = arrays[0].shape, str(arrays[0].dtype)
        status.check(outcome, instr.op, shape=shape, dtype=dtype)

    # -- the algorithms --------------------------------------------------------

    def _flat(
        self, part: Participants, arrays: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum through the staging areas, large vectors in pieces."""
        first = arrays[0]
        result = np.empty(first.shape, first.dtype)
        if part.most * first.nbytes <= status.FLAT_LIMIT:
            outcome = part.lead.flat(part.group, _adjacent(arrays), result)
            return [result] * len(arrays), outcome
        vectors, totals = _adjacent(arrays).reshape(len(arrays), -1), result.reshape(-1)
        step = status.FLAT_LIMIT // part.most // first.itemsize
        if not step:
            return self._direct(part, arrays)
        for start in range(0, totals.size, step):
            piece = slice(start, start + step)
            source = np.ascontiguousarray(vectors[:, piece])
            outcome = part.lead.flat(part.group, source, totals[piece])
            if outcome != status.OK:
                break
        return [result] * len(arrays), outcome

    def _direct(
        self, part: Participants, arrays: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum into one result that all share, in the heap of the first member.

        The result is read-only.  Its owner frees it when its own reference has died and
        the readers have dropped theirs (`_free_retired`).
        """
        first = arrays[0]
        target = self._allocate(first.nbytes) if part.leads else 0
        table, _copies = self._table_of(arrays)
        outcome = part.lead.direct(part.group, table, target, first.size)
        if outcome != status.OK:
            return arrays, outcome
        result = self._arena.view(part.lead.shared_result, first.shape, first.dtype)
        self._share(part, result, target)
        return [result] * len(arrays), outcome

    def _share(self, part: Participants, result: Array, target: int) -> None:
        """Let all members read a result in the heap of the first one, at `target`."""
        self._free_retired(part.members)
        result.flags.writeable = False
        if part.leads:
            self._unfinished.remove(target)
            weakref.finalize(result, self._retired.append, (target, part.members))

    def multiplies(self, part: Participants, size: int) -> bool:
        """Whether the group may sum products of `size` bytes by `sum_of_products`."""
        together = part.complete and len(part.replicas) > 1
        return together and self._algorithm_for(size, part.most) == "direct"

    def sum_of_products(
        self,
        part: Participants,
        instr: Instr,
        lefts: Sequence[Array],
        rights: Sequence[Array],
    ) -> Array:
        """Return the sum of the products of the transposed left and right matrices.

        Each member copies its factors into the arena, and then writes some rows of the
        sum into a result that all share.  Other rows are missing until
        `end_sums_of_products`.
        """
        members = part.group.members.tolist()
        rank = [member in self._links for member in members].index(True)
        tiling = Tiling.of(lefts[0], rights[0], len(members))
        shape, dtype = (tiling.rows, tiling.columns), lefts[0].dtype
        size, cores = products.copied_size(*tiling), part.own.values()

        def copies_at(place: int, count: int) -> Array:
            return self._arena.view(place, (count, size), dtype)

        block = self._allocate(dtype.itemsize * len(cores) * size)
        own_lefts, own_rights = ([x[core] for core in cores] for x in (lefts, rights))
        own_copies = copies_at(block, len(cores))
        products.copy_factors(own_lefts, own_rights, tiling.tiles, own_copies)
        target = 0 if rank else self._allocate(dtype.itemsize * math.prod(shape))
        offsets = np.zeros(len(members) + 1)
        offsets[rank], offsets[-1] = block, target
        *blocks, shared = self._meet(part, instr, shape, offsets)
        self._close(part.members)
        result = self._arena.view(shared, shape, dtype)
        parts = range(len(members)) if part.group.parts is None else part.group.parts
        counts = Counter(parts)
        everyones = [iter(copies_at(blocks[m], counts[m])) for m in range(len(members))]
        copies = [next(everyones[member]) for member in parts]
        tiling.add_up(copies, chunk_slice(tiling.tiles, len(members), rank), result)
        self._open.append(_OpenSum(part, instr, block, result, target))
        return result

    def end_sums_of_products(self) -> None:
        """Wait until all rows of all sums of products are written."""
        while self._open:
            part, instr, _, result, _ = self._open[-1]
            self._meet(part, instr, result.shape, np.zeros(len(part.group.members) + 1))
            self._close(part.members)

    def _close(self, members: frozenset[int]) -> None:
        """Free the factors of a group's open sums, which all members have written."""
        still_open = []
        for each in self._open:
            if each.part.members == members:
                self._release(each.block)
                self._share(each.part, each.result, each.target)
            else:
                still_open.append(each)
        self._open = still_open

    def _meet(
        self, part: Participants, instr: Instr, shape: Shape, offsets: Array
    ) -> list[int]:
        """Wait until all members of a sum of products are here; return all offsets."""
        label = zlib.crc32(f"{instr.name} of products {shape}".encode())
        group = part.group._replace(dtype=_FLOAT64, fingerprint=label, parts=None)
        everyones = np.empty_like(offsets)
        outcome = part.lead.flat(group, offsets, everyones)
        if outcome != status.OK:
            alike = np.broadcast_to(np.float32(0), shape)
            self._fail(outcome, part, instr, [alike] * len(part.own))
        for follower in part.following:
            follower.follow(part.lead)
        return [int(offset) for offset in everyones]

    def _ring(
        self, part: Participants, arrays: Sequence[Array]
    ) -> tuple[Sequence[Array], int]:
        """Sum chunk by chunk around the ring; each core has its own result."""
        first, count = arrays[0], len(arrays)
        target = self._allocate(count * first.nbytes)
        scratch = self._allocate(4 * count * first.size)  # float32 partial sums
        table, _copies = self._table_of(arrays)
        outcome = part.lead.ring(part.group, table, target, scratch, first.size)
        if outcome != status.OK:
            return arrays, outcome
        self._release(scratch)
        results = self._dropped_later(target, (count, *first.shape), first.dtype)
        return [results[k, ...] for k in range(count)], outcome

    # -- memory ----------------------------------------------------------------

    def _allocate(self, size: int) -> int:
        """Return a new block; `begin` frees it if this run fails."""
        self._free_dropped()
        offset = self._heap.allocate(size)
        self._unfinished.append(offset)
        return offset

    def _dropped_later(
        self, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Array:
        """Return the array in a block, which is freed when the array dies."""
        array = self._arena.view(offset, shape, dtype)
        self._unfinished.remove(offset)
        weakref.finalize(array, self._dropped.append, offset)
        return array

    def _release(self, offset: int) -> None:
        """Free a block that only this sum needed."""
        self._unfinished.remove(offset)
        self._heap.free(offset)

    @functools.cached_property
    def _table(self) -> tuple[int, Array]:
        """The offset of the table for a sum, and its array.

        Nobody reads it after the sum, so the next one may write it.
        """
        count = len(self._links)
        offset = self._heap.allocate(_OFFSET.itemsize * count)
        return offset, self._arena.view(offset, (count,), _OFFSET)

    def _table_of(self, arrays: Sequence[Array]) -> tuple[int, Sequence[Array]]:
        """Return the offset of a table of the arrays' offsets, and owners of memory.

        An array outside the arena is copied into it, once for all cores that share it.
        """
        places: dict[int, int] = {}
        copies = []
        for array in arrays:
            if id(array) not in places:
                start = self._arena.offset_of(array)
                if start is None:
                    start = self._allocate(array.nbytes)
                    copy = self._dropped_later(start, array.shape, array.dtype)
                    copy[...] = array
                    copies.append(copy)
                places[id(array)] = start
        offset, table = self._table
        table[: len(arrays)] = [places[id(array)] for array in arrays]
        return offset, copies

    def _free_dropped(self) -> None:
        """Free the blocks whose arrays have died."""
        while self._dropped:
            self._heap.free(self._dropped.popleft())

    def _free_retired(self, taking_part: frozenset[int]) -> None:
        """Free shared results that this process has dropped and all readers too.

        All processes run the same steps, so they drop a result at the same point.  A
        reader that takes part in a later collective has passed that point: the ones of
        a collective that has just ended are in `taking_part`.
        """
        still_read = []
        for offset, readers in self._retired:
            if readers <= taking_part:
                self._heap.free(offset)
            else:
                still_read.append((offset, readers))
        self._retired[:] = still_read


ALGORITHMS: dict[str, Algorithm] = {
    "flat": CoreCollectives._flat,
    "direct": CoreCollectives._direct,
    "ring": CoreCollectives._ring,
}
"""The all-reduce algorithms."""


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
    shape = arrays[0].shape
    return all(array.shape == shape for array in arrays)


def _adjacent(arrays: Sequence[Array]) -> Array:
    """Return arrays of one shape one after the other in memory."""
    if isinstance(arrays, Stacked):
        return np.ascontiguousarray(arrays.stack)
    return np.ascontiguousarray(arrays[0]) if len(arrays) == 1 else np.array(arrays)


def _divergence(part: Participants, instr: Instr, arrays: Sequence[Array]) -> Diverged:
    shapes = {
        replica: array.shape for replica, array in zip(part.own, arrays, strict=True)
    }
    return Diverged(instr, shapes, part.replicas)


class ReplicaSum:
    """One sum of a program on some cores, with its groups cached from run to run."""

    def __init__(
        self,
        collectives: CoreCollectives,
        instr: Instr,
        local_cores: Sequence[LocalCore],
    ) -> None:
        self._collectives = collectives
        self._instr = instr
        self.local_cores = local_cores
        self._known: tuple[Any, ...] = ()
        self._participants: list[Participants] = []
        self._whole: tuple[Any, ...] = ()

    def _prepare(self, shapes: list[Shape], dtype: np.dtype[Any]) -> None:
        known = self._collectives.moves, shapes, dtype
        if known == self._known:
            return
        self._participants = self._collectives.participants(
            self._instr, self.local_cores, shapes, dtype
        )
        self._known, self._whole = known, ()
        if [*self._participants[0].own.values()] == [*range(len(shapes))]:
            self._whole = self._collectives.moves, shapes[0], dtype

    def __call__(self, contributions: Sequence[Array]) -> Sequence[Array]:
        """Return the sum of each contribution's group.

        The sum of a single group comes first: the rest of this method would take half
        of the time of a small one.
        """
        first, collectives = contributions[0], self._collectives
        if self._whole == (collectives.moves, first.shape, first.dtype):
            return collectives.sum(self._participants[0], self._instr, contributions)
        self._prepare([array.shape for array in contributions], first.dtype)
        results = list(contributions)
        for part in self._participants:
            places = part.own.values()
            arrays = [contributions[place] for place in places]
            totals = collectives.sum(part, self._instr, arrays)
            for place, total in zip(places, totals, strict=True):
                results[place] = total
        return results

    def of_products(self, lefts: Column, rights: Column) -> Sequence[Array] | None:
        """Return the sum of each group's products, None if they are computed first."""
        shape = lefts[0].shape[1], rights[0].shape[1]
        self._prepare([shape] * len(lefts), lefts[0].dtype)
        size = lefts[0].dtype.itemsize * math.prod(shape)
        if not all(self._collectives.multiplies(p, size) for p in self._participants):
            return None
        results = list(lefts)
        for part in self._participants:
            total = self._collectives.sum_of_products(part, self._instr, lefts, rights)
            for place in part.own.values():
                results[place] = total
        return results

    def places(self, shape: Shape, dtype: np.dtype[Any]) -> Sequence[Array | None]:
        """Return for each contribution its memory, None if it may be anywhere."""
        self._prepare([shape] * len(self.local_cores), dtype)
        places: list[Array | None] = [None] * len(self.local_cores)
        for part in self._participants:
            memory = self._collectives.places(part, shape, dtype)
            if memory is not None:
                if [*part.own.values()] == [*range(len(places))]:
                    return Stacked(memory)
                for rank, place in enumerate(part.own.values()):
                    places[place] = memory[rank, ...]
        return places


class Exchange:
    """Sums that do not depend on each other, in one collective.

    Each core contributes one vector, the concatenation of its contributions.  `flat`
    and `direct` add elements independently, in the order of replicas, so the bits are
    those of separate sums.  The shapes of several sums are static.
    """

    def __init__(
        self,
        collectives: CoreCollectives,
        instrs: Sequence[Instr],
        local_cores: Sequence[LocalCore],
    ) -> None:
        self.local_cores = local_cores
        self.sums = [ReplicaSum(collectives, instr, local_cores) for instr in instrs]
        self._collectives = collectives
        self._together = ReplicaSum(collectives, instrs[0], local_cores)
        self._shapes: list[Shape] = []
        if len(instrs) > 1:
            self._shapes = [static_sizes(instr.specs[0].shape) for instr in instrs]
        sizes = [math.prod(shape) for shape in self._shapes]
        ends = list(itertools.accumulate(sizes, initial=0))
        self._parts = [slice(*pair) for pair in itertools.pairwise(ends)]
        self._length = ends[-1]
        self._vectors: Sequence[Array | None] | None = None
        self._places: dict[int, list[Array]] = {}

    def joins(self, columns: Sequence[Column]) -> bool:
        """Return whether the contributions to all sums can be concatenated."""
        return self._collectives.joins and all(
            array.shape == shape
            for column, shape in zip(columns, self._shapes, strict=True)
            for array in column
        )

    def __call__(self, columns: Sequence[Column]) -> list[Sequence[Array]]:
        """Return the sums of each instruction, for the contributions to each."""
        totals = self._together(self._concatenate(columns))
        self._forget()
        shared = all(total is totals[0] for total in totals)
        different = totals[:1] if shared else totals
        sums: list[Sequence[Array]] = []
        for part, shape in zip(self._parts, self._shapes, strict=True):
            column = [total[part].reshape(shape) for total in different]
            sums.append(column * len(totals) if shared else column)
        return sums

    def of_products(self, lefts: Column, rights: Column) -> Sequence[Array] | None:
        """Return the only sum, of products; None if they have to be computed first.

        Its elements are missing until `end_of_products`.
        """
        return self._together.of_products(lefts, rights)

    def end_of_products(self) -> None:
        """Wait until all elements of all sums of products are written."""
        self._collectives.end_sums_of_products()

    def one(self, number: int, column: Column) -> Sequence[Array]:
        """Return one of the sums, computed by itself."""
        if number == len(self.sums) - 1:
            self._forget()
        return self.sums[number](column)

    def places(
        self, number: int, shape: Shape, dtype: np.dtype[Any]
    ) -> Sequence[Array | None]:
        """Return the memory of each contribution to a sum, None if it may be anywhere.

        An operation that computes a contribution there saves the copy into the arena.
        """
        if len(self.sums) == 1 or not self._collectives.joins:
            return self.sums[number].places(shape, dtype)
        part, vectors = self._parts[number], self._memory(dtype)
        if shape != self._shapes[number] or any(v is None for v in vectors):
            return [None] * len(vectors)
        parts = [v[part].reshape(shape) for v in vectors if v is not None]
        self._places[number] = parts
        return list(self._places[number])

    def _memory(self, dtype: np.dtype[Any]) -> Sequence[Array | None]:
        """Return the memory of each core's vector, None if it may be anywhere."""
        if self._vectors is None:
            self._vectors = self._together.places((self._length,), dtype)
        return self._vectors

    def _forget(self) -> None:
        """Drop the memory: the values that lie in it keep it."""
        self._vectors = None
        self._places.clear()

    def _concatenate(self, columns: Sequence[Column]) -> list[Array]:
        """Return the vector of each core: its contributions, concatenated."""
        vectors = []
        for place, vector in enumerate(self._memory(columns[0][0].dtype)):
            arrays = [column[place] for column in columns]
            if vector is None:
                vector = np.concatenate([array.reshape(-1) for array in arrays])
            else:
                for number, array in enumerate(arrays):
                    there = self._places.get(number)
                    if there is None or array is not there[place]:
                        vector[self._parts[number]] = array.reshape(-1)
            vectors.append(vector)
        return vectors


class Addend(NamedTuple):
    """The contributions to one of the sums of an exchange: its index is `number`."""

    exchange: Exchange
    number: int

    @property
    def local_cores(self) -> Sequence[LocalCore]:
        """The cores that contribute."""
        return self.exchange.local_cores

    def places(self, shape: Shape, dtype: np.dtype[Any]) -> Sequence[Array | None]:
        """Return the memory of each contribution, None if it may be anywhere."""
        return self.exchange.places(self.number, shape, dtype)
