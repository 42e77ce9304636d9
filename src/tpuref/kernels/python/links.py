r"""How core processes meet and add up vectors, over one shared memory mapping.

Every core process, and the host, holds one `Links` over the same memory. Its control
area begins with a header and goes on with a slot for every core::

    header    poison
    slot      flag, last, sleepers | record 0, record 1 | staging 0, staging 1

The poison can be set by everybody. All the rest of a slot is written by its own core
alone, but for ``sleepers``, which counts who is asleep on the flag.

**Flags.** A flag is ``run << 32 | phase``. It only grows: by one whenever its core
arrives at a place where others wait for it, or is done with something that others wait
to see done. Members of a collective must therefore come to it in the same phase, that
is, after as many collectives of the same kinds in groups of the same size; programs
that are alike on all cores do. Flags are compared by the sign of their difference,
because the number of the run comes round; a run has room for 2^32 - 2 phases. A core
that leaves the run stores its flag in ``last``, and then ``run << 32 | 0xFFFFFFFF`` in
the flag: who waits for a phase that ``last`` has not reached learns at once that it
waits in vain.

**A collective** goes through these steps, n being its number in the run and p the phase
of its members before it:

1. wait until all who read record and staging of parity n mod 2, two collectives ago,
   are done with them (their flags tell; see below);
2. fill in the record of parity n mod 2; for `flat`, copy the vector into the staging;
3. set the flag to p + 1 and wait for the flags of all members to get there;
4. compare all records with the own one: they must bear the same phase, kind, members,
   dtype, count and fingerprint, otherwise all members see a mismatch;
5. `flat` folds the staging of all members, `direct` the own chunk of all sources;
6. set the flag to p + 2: done with what others published. `direct` waits for p + 2 of
   all members too, because only then the result is whole.

A `ring` does not meet: after setting its flag to p + 1 a core waits in each of its
2 (N - 1) steps only until its left neighbour's flag is as high as its own, reads from
that neighbour, and adds one to its flag. Its record says where the neighbour on the
right may read: the source in the first step, then the partial sums (in ``scratch`` for
half types, otherwise in ``result``), then the finished chunks in ``result``. In step
N - 1 + s core r overwrites chunk r - s, whose partial sum its right neighbour read in
step s. That is past: before a core enters step t, its left neighbour is through step
t - 1, the one left of that through step t - 2, and so on round the ring to the right
neighbour, N - 1 places to the left. For the same reason the result may be the source.
At the end a core waits until its right neighbour is through, so that all its buffers
are its own again. Whoever finds that the left neighbour brought something else, or
that its record is ``refused``, marks its own record refused and takes its flag to the
end at once; so the news reaches every core within N - 1 steps.

**Two records** suffice. A core that is ahead fills in record n mod 2 while others may
still read record (n - 1) mod 2 of the same core, which is a different one. Before it
fills in the record it used for collective n - 2, it waits in step 1 for the flags of
those who read it to reach the phase that says they are done. Where the members stay the
same this never waits: all of them had to arrive at collective n - 1, and so were done
with n - 2. Only where groups change may a reader be further behind, and then the wait
is for an act that depends on no further step of this core: no two cores can wait for
each other.

**Waiting** is spinning, then yielding the processor, then sleeping in short slices; all
of it looks at the poison, and all but the spinning at the deadline.

This twin stores and loads flags through a memory view of 8-byte words, which is one
aligned access on every platform that CPython runs on, and relies on the processor to
keep the order of stores and loads, as x86-64 does; elsewhere use the compiled twin. It
sleeps by the clock. All cores of a run must use the same twin.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.base.dtypes import DTYPES
from tpuref.kernels import schedule
from tpuref.kernels.buffers import Buffer, Extents, byte_view, flat_bytes
from tpuref.kernels.python import allreduce
from tpuref.kernels.status import (
    BAD_COUNT,
    BAD_DTYPE,
    BAD_MEMBERS,
    BAD_OFFSET,
    DEADLINE,
    DESTINATION_SIZE,
    FLAT_LIMIT,
    LEFT,
    MISMATCH,
    OK,
    POISONED,
    SOURCE_SIZE,
)

_WORD = 8
_HEADER_WORDS = 16
_RECORD_WORDS = 8
_RECORDS = 16  # where a slot's records begin, in words
_STAGING = 32
_SLOT_WORDS = _STAGING + 2 * FLAT_LIMIT // _WORD

# The words of a slot, and of a record.
_FLAG, _LAST = 0, 1
_STAMP, _KIND, _COUNT, _FINGERPRINT, _SOURCE, _RESULT, _SCRATCH, _REFUSED = range(8)

_BARRIER, _FLAT, _DIRECT, _RING = 1, 2, 3, 4

_PENDING = -1
_YIELDS = 200
_NAP_SECONDS = 50e-6
_GONE = 0xFFFFFFFF

_BY_CODE = {dtype.as_datatype_enum: dtype.np for dtype in DTYPES if dtype.is_numeric}
_CODES = {dtype: code for code, dtype in _BY_CODE.items()}


def dtype_code(dtype: np.dtype[Any]) -> int:
    """Give the number that stands for a dtype in a collective.

    Parameters
    ----------
    dtype
        A numeric type.

    Returns
    -------
    int
        TensorFlow's DataType number.

    Raises
    ------
    TypeError
        If values of the type cannot be added.

    Examples
    --------
    >>> dtype_code(np.dtype(np.float32))
    1
    """
    code = _CODES.get(dtype)
    if code is None:
        raise TypeError(f"all-reduce: expected a numeric dtype to sum, got {dtype}")
    return code


def control_bytes(cores: int) -> int:
    """Give the size of the control area.

    Parameters
    ----------
    cores
        The number of cores that share it.

    Returns
    -------
    int
        Its bytes, which must be zero at first.
    """
    return _WORD * (_HEADER_WORDS + cores * _SLOT_WORDS)


class Links:
    """One core's end of the links to all others, or the host's.

    The collectives, `barrier`, `flat`, `direct` and `ring`, give a status: OK,
    POISONED, DEADLINE, LEFT, MISMATCH, or what is wrong with the arguments, in which
    case the core has not arrived. After any failure the run is lost for this core;
    `late` and `differing` say whose doing that was.

    Parameters
    ----------
    arena
        The whole shared mapping, flat bytes.
    control
        Where the control area begins: a multiple of 64.
    core
        The number of this core, -1 for the host.
    cores
        How many cores there are.
    spins
        How often a wait looks again at once before it yields the processor: 0 where
        cores outnumber processors.

    Raises
    ------
    ValueError
        If there is no such core, or no room for the control area.
    """

    def __init__(
        self, arena: Buffer, control: int, core: int, cores: int, spins: int
    ) -> None:
        self._arena = flat_bytes(arena, writable=True)
        _check_place(self._arena, control, core, cores)
        area = self._arena[control : control + control_bytes(cores)]
        self._control = area
        self._words = area.data.cast("Q")
        self._core, self._cores, self._spins = core, cores, spins
        self._flag = self._arrival = self._awaited = 0
        self._deadline = 0.0
        self._collectives = self._parity = 0
        self._members: list[int] = []
        self._place = 0
        self._readers: list[list[int]] = [[], []]
        self._released = [0, 0]
        self._shared_result = 0

    @property
    def shared_result(self) -> int:
        """Where the result of the last `direct` lies in the arena."""
        return self._shared_result

    # A run

    def begin(self, run: int, seconds: float) -> None:
        """Take part in a run from now on.

        Parameters
        ----------
        run
            Its number, which differs from that of the run before; 32 bits of it count.
            No core may begin a run while another is in the one before.
        seconds
            How long the run may take; after that waiting gives DEADLINE.

        Raises
        ------
        ValueError
            If this is the host's end.
        """
        if self._core < 0:
            raise ValueError("begin: the host takes no part in runs")
        self._deadline = time.monotonic() + seconds
        self._collectives = 0
        self._flag = (run & 0xFFFFFFFF) << 32
        self._publish(self._flag)

    def finish(self) -> None:
        """Leave the run, whether it went well or not.

        Who waits for this core in vain learns of it at once.

        Raises
        ------
        ValueError
            If this is the host's end.
        """
        if self._core < 0:
            raise ValueError("finish: the host takes no part in runs")
        self._words[_slot(self._core) + _LAST] = self._flag
        self._publish(self._flag | _GONE)

    def poison(self, code: int) -> None:
        """Make all others stop waiting, unless somebody has done so before.

        Parameters
        ----------
        code
            What `poisoned` will say: not 0.
        """
        if self._words[0] == 0:
            self._words[0] = code

    def poisoned(self) -> int:
        """Give the code of the first poison.

        Returns
        -------
        int
            The code, 0 if there is no poison.
        """
        return self._words[0]

    def heal(self) -> None:
        """Take the poison away: for the host, while no core is in a run."""
        self._words[0] = 0

    # The collectives

    def barrier(self, members: Extents, fingerprint: int) -> int:
        """Wait until all members have come here.

        Parameters
        ----------
        members
            The cores that take part, this one among them.
        fingerprint
            A number, 64 bits, that stands for this collective in the program. All
            members must bring the same.

        Returns
        -------
        int
            A status.
        """
        status = self._enter(members, _BARRIER, 0, 0, fingerprint)
        if status == OK:
            status = self._meet()
        if status in (OK, MISMATCH):
            self._advance()
        return status

    def flat(
        self,
        members: Extents,
        source: npt.NDArray[Any],
        result: npt.NDArray[Any],
        dtype: int,
        fingerprint: int,
    ) -> int:
        """Sum small vectors: every member folds all of them itself.

        Parameters
        ----------
        members
            The cores that take part, in replica order: the order of summation.
        source
            This core's vector, contiguous, FLAT_LIMIT bytes at most; need not lie in
            the arena.
        result
            Receives the sum: as long as `source`, and may be the same memory.
        dtype
            The type of the elements, by `dtype_code`.
        fingerprint
            A number, 64 bits, that stands for this collective in the program. All
            members must bring the same.

        Returns
        -------
        int
            A status; also SOURCE_SIZE or DESTINATION_SIZE.
        """
        vector, total = byte_view(source), byte_view(result)
        element = _BY_CODE.get(dtype)
        if element is None:
            return BAD_DTYPE
        if vector.size > FLAT_LIMIT or vector.size % element.itemsize:
            return SOURCE_SIZE
        if total.size != vector.size:
            return DESTINATION_SIZE
        count = vector.size // element.itemsize
        status = self._enter(members, _FLAT, count, dtype, fingerprint)
        if status == OK:
            self._staging(self._core, vector.size)[:] = vector
            status = self._meet()
        if status == OK:
            vectors = [self._staging(core, vector.size) for core in self._members]
            sums = allreduce.fold([vector.view(element) for vector in vectors])
            total[:] = sums.view(np.uint8)
        if status in (OK, MISMATCH):
            self._advance()
        return status

    def direct(
        self,
        members: Extents,
        source_offset: int,
        result_offset: int,
        count: int,
        dtype: int,
        fingerprint: int,
    ) -> int:
        """Sum vectors in the arena: every member folds its chunk into one result.

        When it returns, the sources may be written again. The result, at
        `shared_result`, may be written again once every member is done reading it, as
        it must be when it comes to a later collective.

        Parameters
        ----------
        members
            The cores that take part, in replica order: the order of summation, and of
            the chunks.
        source_offset
            Where this core's vector lies in the arena.
        result_offset
            Where the result is to lie; that of the first member counts. It may be that
            member's source.
        count
            The number of elements.
        dtype
            The type of the elements, by `dtype_code`.
        fingerprint
            A number, 64 bits, that stands for this collective in the program. All
            members must bring the same.

        Returns
        -------
        int
            A status.
        """
        status = self._check_vectors((source_offset, result_offset), count, dtype)
        if status == OK:
            status = self._enter(members, _DIRECT, count, dtype, fingerprint)
        if status == OK:
            self._offer(source_offset, result_offset, 0)
            status = self._meet()
        if status == OK:
            self._fold_chunk(count, dtype)
        if status in (OK, MISMATCH):
            self._advance()
        if status == OK:
            status = self._all_reach(self._flag)
        return status

    def ring(
        self,
        members: Extents,
        source_offset: int,
        result_offset: int,
        scratch_offset: int,
        count: int,
        dtype: int,
        fingerprint: int,
    ) -> int:
        """Sum vectors in the arena: chunks go round from neighbour to neighbour.

        When it returns, all buffers are this core's own again.

        Parameters
        ----------
        members
            The cores that take part, in the order of the ring.
        source_offset
            Where this core's vector lies in the arena.
        result_offset
            Where this core's result is to lie; may be the source.
        scratch_offset
            Where 4 bytes an element can be used meanwhile; only for half types.
        count
            The number of elements.
        dtype
            The type of the elements, by `dtype_code`.
        fingerprint
            A number, 64 bits, that stands for this collective in the program. All
            members must bring the same.

        Returns
        -------
        int
            A status.
        """
        status = self._check_vectors((source_offset, result_offset), count, dtype)
        if status == OK and _is_half(dtype):
            status = self._check_bytes(scratch_offset, count, 4)
        if status == OK:
            status = self._enter(members, _RING, count, dtype, fingerprint)
        if status == OK:
            self._offer(source_offset, result_offset, scratch_offset)
            status = self._run_ring(count, dtype)
        return status

    # After a failure

    def late(self, members: Sequence[int] | Extents) -> list[int]:
        """Give the members that keep this core waiting.

        Parameters
        ----------
        members
            The members of the collective that failed.

        Returns
        -------
        list of int
            Those that have not come to it; if all have, those furthest behind in it.
        """
        reached = {int(member): self._reached(member) for member in members}
        behind = {
            member: flag
            for member, flag in reached.items()
            if _is_before(flag, self._awaited)
        }
        absent = [
            member for member, flag in behind.items() if _is_before(flag, self._arrival)
        ]
        least = min(behind.values(), default=0)
        return absent or [member for member, flag in behind.items() if flag == least]

    def differing(self, members: Sequence[int] | Extents) -> list[int]:
        """Give the members that came with something else than the first one.

        Parameters
        ----------
        members
            The members of the collective that gave MISMATCH.

        Returns
        -------
        list of int
            Those of another phase, kind, group, dtype, count or fingerprint, among
            those that have come. Where the first has not, they are compared with this
            core.
        """
        came = [
            int(member)
            for member in members
            if not _is_before(self._reached(member), self._arrival)
        ]
        first = self._brought(int(members[0]) if members[0] in came else self._core)
        return [member for member in came if self._brought(member) != first]

    def position(self, core: int) -> tuple[int, int]:
        """Give the place that a core has reached.

        Parameters
        ----------
        core
            Any core.

        Returns
        -------
        tuple of int
            The run, and the phase in it: 0xFFFFFFFF once the core has left it.
        """
        flag = self._words[self._known(core) + _FLAG]
        return flag >> 32, flag & _GONE

    # Checking arguments

    def _known(self, core: int) -> int:
        """Give the slot of a core."""
        if not 0 <= core < self._cores:
            raise ValueError(f"Links: there are {self._cores} cores, got core {core}")
        return _slot(int(core))

    def _check_vectors(self, offsets: Sequence[int], count: int, dtype: int) -> int:
        element = _BY_CODE.get(dtype)
        if element is None:
            return BAD_DTYPE
        for offset in offsets:
            status = self._check_bytes(offset, count, element.itemsize)
            if status != OK:
                return status
        return OK

    def _check_bytes(self, offset: int, count: int, item_bytes: int) -> int:
        if count < 0:
            return BAD_COUNT
        fits = offset >= 0 and offset + count * item_bytes <= self._arena.size
        return OK if fits else BAD_OFFSET

    # Waiting

    def _publish(self, flag: int) -> None:
        self._words[_slot(self._core) + _FLAG] = flag

    def _advance(self) -> None:
        self._flag += 1
        self._publish(self._flag)

    def _look(self, core: int, target: int) -> int:
        """Say whether a core has reached a flag, as far as one look can tell."""
        flag = self._words[_slot(core) + _FLAG]
        if not _is_before(flag, target):
            if _is_within(flag, target):
                return OK
            last = self._words[_slot(core) + _LAST]
            if _is_within(last, target) and not _is_before(last, target):
                return OK
        if self._words[0] != 0:
            return POISONED
        return _PENDING if _is_before(flag, target) else LEFT

    def _reach(self, core: int, target: int) -> int:
        """Wait until a core has reached a flag."""
        self._awaited = target
        for _turn in range(self._spins):
            status = self._look(core, target)
            if status != _PENDING:
                return status
        for _turn in range(_YIELDS):
            status = self._look(core, target)
            if status != _PENDING:
                return status
            os.sched_yield()
        while time.monotonic() < self._deadline:
            status = self._look(core, target)
            if status != _PENDING:
                return status
            time.sleep(_NAP_SECONDS)
        status = self._look(core, target)
        return DEADLINE if status == _PENDING else status

    def _all_reach(self, target: int) -> int:
        for member in self._members:
            status = self._reach(member, target)
            if status != OK:
                return status
        return OK

    # The parts of a collective

    def _enter(
        self, members: Extents, kind: int, count: int, dtype: int, fingerprint: int
    ) -> int:
        """Take the arguments, and fill in the record when it is free."""
        cores = [int(member) for member in members]
        if cores.count(self._core) != 1 or not all(0 <= c < self._cores for c in cores):
            return BAD_MEMBERS
        self._members, self._place = cores, cores.index(self._core)
        self._parity = self._collectives % 2
        self._arrival = self._flag + 1
        status = self._reclaim()
        if status != OK:
            return status
        record = self._record(self._core)
        self._words[record + _STAMP] = self._arrival
        self._words[record + _KIND] = _kind_word(cores, kind, dtype)
        self._words[record + _COUNT] = count
        self._words[record + _FINGERPRINT] = fingerprint
        self._words[record + _REFUSED] = 0
        self._lend(kind)
        self._collectives += 1
        return OK

    def _reclaim(self) -> int:
        """Wait until what this core published under this parity has been read."""
        if self._words[0] != 0:
            return POISONED
        for reader in self._readers[self._parity]:
            if reader != self._core:
                status = self._reach(reader, self._released[self._parity])
                if status not in (OK, LEFT):
                    return status
        return OK

    def _lend(self, kind: int) -> None:
        """Note who will read what is published now, and their flag when they have."""
        ring = kind == _RING
        phases = 2 * len(self._members) - 1 if ring else 2
        self._released[self._parity] = self._flag + phases
        self._readers[self._parity] = [self._neighbour(1)] if ring else self._members

    def _offer(self, source: int, result: int, scratch: int) -> None:
        record = self._record(self._core)
        self._words[record + _SOURCE] = source
        self._words[record + _RESULT] = result
        self._words[record + _SCRATCH] = scratch

    def _meet(self) -> int:
        """Arrive, wait for all members, and see whether they brought the same."""
        self._advance()
        status = self._all_reach(self._arrival)
        if status != OK:
            return status
        own = self._brought(self._core)
        same = all(self._brought(member) == own for member in self._members)
        return OK if same else MISMATCH

    def _brought(self, core: int) -> list[int]:
        """Give what all members must bring alike."""
        record = self._record(core)
        return self._words[record + _STAMP : record + _FINGERPRINT + 1].tolist()

    def _fold_chunk(self, count: int, dtype: int) -> None:
        place = schedule.chunk_slice(count, len(self._members), self._place)
        element = _BY_CODE[dtype]
        sources = [
            self._vector(self._word(core, _SOURCE), count, element)[place]
            for core in self._members
        ]
        self._shared_result = self._word(self._members[0], _RESULT)
        result = self._vector(self._shared_result, count, element)
        result[place] = allreduce.fold(sources)

    # The ring

    def _neighbour(self, step: int) -> int:
        return self._members[(self._place + step) % len(self._members)]

    def _run_ring(self, count: int, dtype: int) -> int:
        size, element = len(self._members), _BY_CODE[dtype]
        end = self._flag + 2 * size - 1
        self._advance()
        if size == 1:
            self._fold_alone(count, element)
            return OK
        for step in range(2 * (size - 1)):
            status = self._left_is_ready(end)
            if status != OK:
                return status
            if step < size - 1:
                self._add_chunk(step, count, element)
            else:
                self._copy_chunk(step - (size - 1), count, element)
            self._advance()
        return self._reach(self._neighbour(1), end)

    def _fold_alone(self, count: int, element: np.dtype[Any]) -> None:
        source = self._vector(self._word(self._core, _SOURCE), count, element)
        result = self._vector(self._word(self._core, _RESULT), count, element)
        result[:] = allreduce.fold([source])

    def _left_is_ready(self, end: int) -> int:
        """Wait until the left neighbour is as far as this core.

        Where it, or one before it, found a difference, say so to the right and give up
        the other steps.
        """
        left = self._neighbour(-1)
        status = self._reach(left, self._flag)
        if status != OK:
            return status
        same = self._brought(left) == self._brought(self._core)
        if same and not self._word(left, _REFUSED):
            return OK
        self._words[self._record(self._core) + _REFUSED] = 1
        self._flag = end
        self._publish(end)
        return MISMATCH

    def _add_chunk(self, step: int, count: int, element: np.dtype[Any]) -> None:
        """Add this core's part to what has come together further left."""
        size = len(self._members)
        place = schedule.chunk_slice(count, size, (self._place - 1 - step) % size)
        left, wide = self._neighbour(-1), allreduce.accumulator(element)
        if step == 0:
            partial = self._vector(self._word(left, _SOURCE), count, element)
        else:
            partial = self._partial_sums(left, count, element)
        own = self._vector(self._word(self._core, _SOURCE), count, element)
        if step == size - 2:
            total = self._vector(self._word(self._core, _RESULT), count, element)
        else:
            total = self._partial_sums(self._core, count, element)
        with np.errstate(all="ignore"):
            total[place] = partial[place].astype(wide) + own[place].astype(wide)

    def _partial_sums(
        self, core: int, count: int, element: np.dtype[Any]
    ) -> allreduce.Vector:
        wide = allreduce.accumulator(element)
        where = _RESULT if wide == element else _SCRATCH
        return self._vector(self._word(core, where), count, wide)

    def _copy_chunk(self, step: int, count: int, element: np.dtype[Any]) -> None:
        """Take over a chunk that is complete."""
        size = len(self._members)
        place = schedule.chunk_slice(count, size, (self._place - step) % size)
        left = self._word(self._neighbour(-1), _RESULT)
        own = self._word(self._core, _RESULT)
        self._vector(own, count, element)[place] = self._vector(left, count, element)[
            place
        ]

    # Where things lie

    def _record(self, core: int) -> int:
        return _slot(core) + _RECORDS + self._parity * _RECORD_WORDS

    def _word(self, core: int, word: int) -> int:
        return self._words[self._record(core) + word]

    def _staging(self, core: int, size: int) -> npt.NDArray[np.uint8]:
        start = _WORD * (_slot(core) + _STAGING) + self._parity * FLAT_LIMIT
        return self._control[start : start + size]

    def _vector(
        self, offset: int, count: int, element: np.dtype[Any]
    ) -> allreduce.Vector:
        return self._arena[offset : offset + count * element.itemsize].view(element)

    def _reached(self, core: int) -> int:
        """Give the flag of a core as far as it counts in this run."""
        slot = self._known(core)
        flag, last = self._words[slot + _FLAG], self._words[slot + _LAST]
        start = self._awaited >> 32 << 32
        if _is_within(flag, start) or _is_before(flag, start):
            return flag
        return last if _is_within(last, start) else start


def _check_place(
    arena: npt.NDArray[np.uint8], control: int, core: int, cores: int
) -> None:
    if cores < 1 or not -1 <= core < cores:
        raise ValueError(
            "Links: expected a core from 0 to cores - 1, or -1 for the host, got "
            f"core={core}, cores={cores}"
        )
    if control < 0 or control + control_bytes(cores) > arena.size:
        raise ValueError(
            f"Links: the control area of {cores} cores takes {control_bytes(cores)} "
            f"bytes, which an arena of {arena.size} does not have at {control}"
        )
    if (arena.ctypes.data + control) % 64:
        raise ValueError("Links: the control area must lie at a multiple of 64")


def _slot(core: int) -> int:
    return _HEADER_WORDS + core * _SLOT_WORDS


def _kind_word(members: Sequence[int], kind: int, dtype: int) -> int:
    """Give a number that stands for a collective, its members and its type."""
    group = 0
    for member in members:
        group = group * 31 + member + 1
    return (group << 16 | kind << 8 | dtype) % 2**64


def _is_before(flag: int, other: int) -> bool:
    """Compare by the sign of the difference, as the number of the run comes round."""
    return (flag - other) % 2**64 >= 2**63


def _is_within(flag: int, other: int) -> bool:
    """Say whether a flag is of the run of another, and its core still in it."""
    return flag >> 32 == other >> 32 and flag & _GONE != _GONE


def _is_half(dtype: int) -> bool:
    element = _BY_CODE[dtype]
    return allreduce.accumulator(element) != element
