r"""All-reduce over core processes that share one memory mapping.

Each core process has one `Links` over the same memory. Cores wait for one another by
their flags (`tpuref.kernels.python.flags`). The slot of a core also has two records, in
which it describes a collective, and two staging areas for small vectors.

If a process runs several cores, one of them is the member of a collective. It also
contributes the vectors of the others (`Group.parts`), and they `follow` it: their flags
take the value of its flag. All vectors are summed in the
order of the parts, so the bits do not depend on the process of a vector.

**A collective** goes through these steps, n being its number in the run and p the phase
of its members before it:

1. wait until all readers of record and staging area n mod 2, used two collectives ago,
   are done with them (their flags show it, see below);
2. fill in record n mod 2; for `flat`, copy the vector into the staging area;
3. set the flag to p + 1 and wait for the flags of all members to reach that;
4. compare all records with the own one: phase, kind, members, dtype, count and
   fingerprint must be the same, otherwise all members see a mismatch;
5. fold: `flat` the staging areas of all members, `direct` the own chunk of all sources;
6. set the flag to p + 2: done reading from others. `direct` then waits for p + 2 of all
   members, because only then is the result complete.

A `ring` of N vectors has no common arrival: after setting its flag to p + 1 a core
waits in each of the 2 (N - 1) steps only until its left neighbour's flag is as high as
its own, reads from that neighbour, and adds one to its flag. A core with several
vectors takes each step for all of them. Its record tells the right neighbour where to
read: the source in the first step, then the partial sums (in ``scratch`` for half
types, otherwise in ``result``), then the finished chunks in ``result``. In step
N - 1 + s core r overwrites chunk r - s, whose partial sum its right neighbour read in
step s. That read is over: before a core enters step t, its left neighbour has finished
step t - 1, the one left of that step t - 2, and so on around the ring to the right
neighbour, N - 1 places to the left. For the same reason the result may be the source.
At the end a core waits until its right neighbour has finished, so that nobody reads its
buffers any more. A core whose left neighbour has a different record, or one that is
``refused``, marks its own record refused and moves its flag to the end at once; so
every core learns of it within N - 1 steps.

**Two records** suffice. A core that is ahead fills in record n mod 2 while others may
still read its other record, (n - 1) mod 2. Before it overwrites the record of
collective n - 2, it waits in step 1 until the flags of that record's readers show that
they are done. If the members stay the same this never waits: all of them had to arrive
at collective n - 1, so they were done with n - 2. Only if groups change can a reader be
further behind, and then it can finish without any further step of this core: no two
cores can wait for each other.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.kernels import schedule
from tpuref.kernels.buffers import byte_view
from tpuref.kernels.fold import SUMMABLE, Array, accumulator, fold
from tpuref.kernels.group import Group
from tpuref.kernels.python.flags import Flags
from tpuref.kernels.status import (
    BAD_COUNT,
    BAD_DTYPE,
    BAD_MEMBERS,
    BAD_OFFSET,
    DESTINATION_SIZE,
    FLAT_LIMIT,
    LEFT,
    MISMATCH,
    OK,
    POISONED,
    SOURCE_SIZE,
)

# The words of a record; all members must agree on the first four.
_STAMP, _KIND, _COUNT, _FINGERPRINT, _TABLE, _RESULT, _SCRATCH, _REFUSED = range(8)

_FLAT, _DIRECT, _RING = 1, 2, 3

_OFFSET_BYTES = 8

_ELEMENTS = {dtype.as_datatype_enum: dtype.np for dtype in SUMMABLE}


class Links:
    """One core's end of the links to all others.

    The collectives, `flat`, `direct` and `ring`, return a status: OK, POISONED, LEFT,
    MISMATCH, or a code for a wrong argument, in which case the core has not arrived.
    After any failure the run is lost for this core.

    A wait polls `spins` times before it yields the processor: 0 if there are more cores
    than processors.  `shared_result` is the offset of the last `direct`'s result.
    """

    def __init__(self, flags: Flags, core: int, spins: int) -> None:
        if not 0 <= core < flags.cores:
            raise ValueError(
                f"Links: expected a core from 0 to cores - 1, got core={core}, "
                f"cores={flags.cores}"
            )
        self._flags, self._core, self._spins = flags, core, spins
        self._flag = self._arrival = 0
        self._collectives = self._parity = 0
        self._group: Group | None = None
        self._members: list[int] = []
        self._place = -1
        self._parts: list[tuple[int, int]] = []
        self._own: list[int] = []
        self._readers: list[list[int]] = [[], []]
        self._released = [0, 0]
        self.shared_result = 0

    # A run

    def begin(self, run: int) -> None:
        """Take part in a run from now on.

        `run` differs from the number of the run before in its last 32 bits.  No core
        may begin a run while another is in the one before.
        """
        self._collectives = 0
        self._flag = (run & 0xFFFFFFFF) << 32
        self._flags.publish(self._core, self._flag)

    def finish(self) -> None:
        """Leave the run; a wait for this core that cannot succeed ends at once."""
        self._flags.leave(self._core, self._flag)

    def follow(self, member: Links) -> None:
        """Take over the progress of `member`, which summed this core's vector."""
        self._flag, self._collectives = member._flag, member._collectives
        self._flags.publish(self._core, self._flag)

    # The collectives

    def flat(
        self, group: Group, source: npt.NDArray[Any], result: npt.NDArray[Any]
    ) -> int:
        """Sum small vectors: every member folds all of them itself; return a status.

        `source` has this core's vectors, contiguous, FLAT_LIMIT bytes at most, in the
        arena or elsewhere.  `result` has the length of one vector and may be the memory
        of `source`.
        """
        self._take(group)
        vectors, total = byte_view(source), byte_view(result)
        element = _ELEMENTS.get(group.dtype)
        if element is None:
            return BAD_DTYPE
        if vectors.size > FLAT_LIMIT or vectors.size % element.itemsize:
            return SOURCE_SIZE
        if total.size * len(self._own) != vectors.size:
            return DESTINATION_SIZE
        status = self._enter(_FLAT, total.size // element.itemsize)
        if status == OK:
            staging = self._flags.staging(self._core, self._parity)
            staging[: vectors.size] = vectors
            status = self._meet()
        if status == OK:
            vectors_of_parts = [self._staging(part, total.size) for part in self._parts]
            sums = fold([vector.view(element) for vector in vectors_of_parts])
            total[:] = sums.view(np.uint8)
        if status in (OK, MISMATCH):
            self._advance()
        return status

    def direct(
        self, group: Group, table_offset: int, result_offset: int, count: int
    ) -> int:
        """Sum vectors in the arena: every member folds its chunk into one result.

        When it returns a status, the sources may be written again. The result, at
        `shared_result`, may be written again after every member has read it; a member
        that arrives at a later collective must have.

        A table of int64 at `table_offset`, a multiple of 8, has the offsets of this
        core's vectors, of `count` elements each.  They may lie anywhere in the arena,
        and be the same memory.  The result is at `result_offset` of the first member,
        which may be one of that member's vectors.
        """
        self._take(group)
        status = self._check_sources(count, table_offset)
        if status == OK:
            status = self._check_vectors(count, result_offset, 1)
        if status == OK:
            status = self._enter(_DIRECT, count)
        if status == OK:
            self._offer(table_offset, result_offset, 0)
            status = self._meet()
        if status == OK:
            self._fold_chunk(_ELEMENTS[group.dtype], count)
        if status in (OK, MISMATCH):
            self._advance()
        if status == OK:
            status = self._all_reach(self._flag)
        return status

    def ring(
        self,
        group: Group,
        table_offset: int,
        result_offset: int,
        scratch_offset: int,
        count: int,
    ) -> int:
        """Sum vectors in the arena: chunks move from neighbour to neighbour.

        When it returns a status, nobody reads this core's buffers any more. `group`,
        `table_offset` and `count` are those of `direct`.  Each of this core's vectors
        has a result at `result_offset`, which may be the source; half types need 4
        bytes for each element of each vector at `scratch_offset`.
        """
        self._take(group)
        status = self._check_sources(count, table_offset)
        if status == OK:
            status = self._check_vectors(count, result_offset, len(self._own))
        if status == OK and _is_half(_ELEMENTS[group.dtype]):
            status = self._check_bytes(scratch_offset, len(self._own) * count, 4)
        if status == OK:
            status = self._enter(_RING, count)
        if status == OK:
            self._offer(table_offset, result_offset, scratch_offset)
            status = self._run_ring(_ELEMENTS[group.dtype], count)
        return status

    # Checking arguments

    def _take(self, group: Group) -> None:
        """Unpack a group, unless it is the previous one: programs repeat a few."""
        if group is self._group:
            return
        self._group = group
        self._members = [int(member) for member in group.members]
        size = len(self._members)
        owners = range(size) if group.parts is None else group.parts.tolist()
        known = all(0 <= member < self._flags.cores for member in self._members)
        known = known and all(0 <= owner < size for owner in owners)
        self._parts, self._own, self._place = [], [0], -1
        if known and self._members.count(self._core) == 1:
            self._place = self._members.index(self._core)
            self._own = [q for q, owner in enumerate(owners) if owner == self._place]
            ranks = Counter[int]()
            for owner in owners:
                self._parts.append((self._members[owner], ranks[owner]))
                ranks[owner] += 1

    def _check_vectors(self, count: int, offset: int, vectors: int) -> int:
        assert self._group is not None
        element = _ELEMENTS.get(self._group.dtype)
        if element is None:
            return BAD_DTYPE
        return self._check_bytes(offset, vectors * count, element.itemsize)

    def _check_sources(self, count: int, table: int) -> int:
        """Check a table of offsets, and the vectors that it names."""
        status = self._check_bytes(table, len(self._own), _OFFSET_BYTES)
        if status == OK and table % _OFFSET_BYTES:
            status = BAD_OFFSET
        if status == OK:
            offsets = self._table(table, len(self._own))
            statuses = [self._check_vectors(count, int(at), 1) for at in offsets]
            status = max(statuses, default=OK)
        return status

    def _check_bytes(self, offset: int, count: int, item_bytes: int) -> int:
        if count < 0:
            return BAD_COUNT
        fits = offset >= 0 and offset + count * item_bytes <= self._flags.arena.size
        return OK if fits else BAD_OFFSET

    # Moving the flag, and waiting

    def _advance(self) -> None:
        self._flag += 1
        self._flags.publish(self._core, self._flag)

    def _reach(self, core: int, target: int) -> int:
        return self._flags.reach(core, target, self._spins)

    def _all_reach(self, target: int) -> int:
        for member in self._members:
            status = self._reach(member, target)
            if status != OK:
                return status
        return OK

    # The parts of a collective

    def _enter(self, kind: int, count: int) -> int:
        """Wait until the record of this parity is free, then fill it in."""
        group = self._group
        assert group is not None
        if self._place < 0:
            return BAD_MEMBERS
        self._parity = self._collectives % 2
        self._arrival = self._flag + 1
        status = self._reclaim()
        if status != OK:
            return status
        record = self._record(self._core)
        record[_STAMP] = self._arrival
        record[_KIND] = _kind_word(self._members, kind, group.dtype)
        record[_COUNT] = count
        record[_FINGERPRINT] = group.fingerprint
        record[_REFUSED] = 0
        self._lend(kind)
        self._collectives += 1
        return OK

    def _reclaim(self) -> int:
        """Wait until the readers of this record, two collectives ago, are done."""
        if self._flags.poisoned():
            return POISONED
        for reader in self._readers[self._parity]:
            if reader != self._core:
                status = self._reach(reader, self._released[self._parity])
                if status not in (OK, LEFT):  # one that has left reads no more
                    return status
        return OK

    def _lend(self, kind: int) -> None:
        """Store the readers of this collective's record, and their flag afterwards."""
        phases = 2 * len(self._parts) - 1 if kind == _RING else 2
        self._released[self._parity] = self._flag + phases
        self._readers[self._parity] = self._members

    def _offer(self, table: int, result: int, scratch: int) -> None:
        record = self._record(self._core)
        record[_TABLE], record[_RESULT], record[_SCRATCH] = table, result, scratch

    def _meet(self) -> int:
        """Arrive, wait for all members, and compare their records."""
        self._advance()
        status = self._all_reach(self._arrival)
        if status != OK:
            return status
        own = self._identity_words(self._core)
        same = all(self._identity_words(member) == own for member in self._members)
        return OK if same else MISMATCH

    def _identity_words(self, core: int) -> list[int]:
        """Return the words of a record that must be equal on all members."""
        return self._record(core)[: _FINGERPRINT + 1].tolist()

    def _fold_chunk(self, element: np.dtype[Any], count: int) -> None:
        place = schedule.chunk_slice(count, len(self._members), self._place)
        sources = [self._source(part, element, count)[place] for part in self._parts]
        first = self._members[0]
        self.shared_result = self._record(first)[_RESULT]
        self._vector((first, 0), _RESULT, element, count)[place] = fold(sources)

    # The ring

    def _run_ring(self, element: np.dtype[Any], count: int) -> int:
        size = len(self._parts)
        end = self._flag + 2 * size - 1
        self._advance()
        if size == 1:
            (part,) = self._parts
            source = self._source(part, element, count)
            self._vector(part, _RESULT, element, count)[:] = fold([source])
            return OK
        # A left neighbour with the same flag has finished the step before: the chunk to
        # read is complete, and the chunk to overwrite has been read (see the module).
        for step in range(2 * (size - 1)):
            for own in self._own:
                left = self._parts[own - 1]
                status = self._left_is_ready(left[0], end)
                if status != OK:
                    return status
                chunk = schedule.ring_chunks(size, own)[step]
                place = schedule.chunk_slice(count, size, chunk)
                if step < size - 1:
                    self._add_chunk(step, self._parts[own], left, place, element, count)
                else:
                    total = self._vector(self._parts[own], _RESULT, element, count)
                    finished = self._vector(left, _RESULT, element, count)
                    total[place] = finished[place]
            self._advance()
        # The right neighbour may still read from this core until it is done as well.
        for own in self._own:
            status = self._reach(self._parts[(own + 1) % size][0], end)
            if status != OK:
                return status
        return OK

    def _left_is_ready(self, left: int, end: int) -> int:
        """Wait for a left neighbour; pass a mismatch on, and skip all other steps."""
        status = self._reach(left, self._flag)
        if status != OK:
            return status
        same = self._identity_words(left) == self._identity_words(self._core)
        if same and not self._record(left)[_REFUSED]:
            return OK
        self._record(self._core)[_REFUSED] = 1
        self._flag = end
        self._flags.publish(self._core, end)
        return MISMATCH

    def _add_chunk(
        self,
        step: int,
        part: tuple[int, int],
        left: tuple[int, int],
        place: slice,
        element: np.dtype[Any],
        count: int,
    ) -> None:
        """Add a chunk of an own vector to the left neighbour's partial sum."""
        first, last = step == 0, step == len(self._parts) - 2
        wide = accumulator(element)
        sums = _SCRATCH if _is_half(element) else _RESULT
        if first:
            partial = self._source(left, element, count)
        else:
            partial = self._vector(left, sums, wide, count)
        own = self._source(part, element, count)
        if last:
            total = self._vector(part, _RESULT, element, count)
        else:
            total = self._vector(part, sums, wide, count)
        with np.errstate(all="ignore"):
            total[place] = partial[place].astype(wide) + own[place].astype(wide)

    # Addresses

    def _record(self, core: int) -> memoryview:
        return self._flags.record(core, self._parity)

    def _staging(self, part: tuple[int, int], size: int) -> npt.NDArray[np.uint8]:
        core, rank = part
        return self._flags.staging(core, self._parity)[rank * size : (rank + 1) * size]

    def _table(self, offset: int, size: int) -> npt.NDArray[np.int64]:
        end = offset + size * _OFFSET_BYTES
        return self._flags.arena[offset:end].view(np.int64)

    def _source(
        self, part: tuple[int, int], element: np.dtype[Any], count: int
    ) -> Array:
        """View a contribution, at its offset in the table of its core."""
        core, rank = part
        (start,) = self._table(
            self._record(core)[_TABLE] + rank * _OFFSET_BYTES, 1
        ).tolist()
        return self._flags.arena[start : start + count * element.itemsize].view(element)

    def _vector(
        self, part: tuple[int, int], word: int, element: np.dtype[Any], count: int
    ) -> Array:
        """View the vector of a part, at the offset in word `word` of its record."""
        core, rank = part
        size = count * element.itemsize
        offset = self._record(core)[word] + rank * size
        return self._flags.arena[offset : offset + size].view(element)


def _kind_word(members: list[int], kind: int, dtype: int) -> int:
    """Return a hash of the kind of collective, its members and its dtype."""
    group = 0
    for member in members:
        group = group * 31 + member + 1
    return (group << 16 | kind << 8 | dtype) % 2**64


def vector_instructions() -> str:
    """Return ``numpy``; the compiled twin returns its instruction set."""
    return "numpy"


def _is_half(element: np.dtype[Any]) -> bool:
    return accumulator(element) != element
