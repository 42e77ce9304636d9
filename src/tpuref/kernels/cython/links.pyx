# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""All-reduce over core processes that share one memory mapping.

The twin of `tpuref.kernels.python.links`, which documents the protocol and the
arguments. Sums and waits run without the interpreter's lock.
"""

from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from tpuref.kernels.cython.flags cimport (
    STAGING_BYTES,
    Flags,
    Record,
    Slot,
    is_before,
)
from tpuref.kernels.cython.status cimport (
    BAD_COUNT,
    BAD_DTYPE,
    BAD_MEMBERS,
    BAD_OFFSET,
    DESTINATION_SIZE,
    LEFT,
    MISMATCH,
    OK,
    POISONED,
    SOURCE_SIZE,
)

cdef extern from "fold.h" nogil:
    const char* tpuref_vector_instructions()
    size_t tpuref_item_bytes(int dtype)
    bint tpuref_is_half(int dtype)
    void tpuref_add(
        const void* first, bint first_wide,
        const void* const* others, int num_others,
        void* destination, bint wide,
        size_t start, size_t stop, int dtype, bint stream,
    )
    void tpuref_copy(
        void* destination, const void* source, size_t bytes, bint stream
    )
    void tpuref_fold(
        const void* const* sources, int count, void* destination,
        size_t start, size_t stop, int dtype, bint stream,
    )

cdef extern from "waiting.h" nogil:
    uint64_t tpuref_load(const uint64_t* word)
    void tpuref_store(uint64_t* word, uint64_t value)

cdef enum:
    FLAT = 1
    DIRECT = 2
    RING = 3

cdef enum:
    YIELDS = 200
    PATIENCE_BYTES = 262144     # of a vector: above it, waits are long and do not yield
    STREAM_BYTES = 16384        # of a vector: see is_streamed


cdef struct Part:
    Py_ssize_t core
    Py_ssize_t rank         # among the vectors of this core


def vector_instructions():
    """Return the instruction set of the sums: avx512f, avx2 or plain."""
    return tpuref_vector_instructions().decode()


cdef class Links:
    """One core's end of the links to all others."""

    cdef readonly Py_ssize_t shared_result
    cdef Flags flags
    cdef Slot* slots
    cdef Slot* own
    cdef Py_ssize_t core
    cdef Py_ssize_t spins

    # The run: this core's flag, and the number of collectives so far.
    cdef uint64_t flag
    cdef uint64_t arrival
    cdef Py_ssize_t collectives
    cdef Py_ssize_t parity          # of the collective, and so of the record in use
    cdef Py_ssize_t yields

    # The group that sums: its members, this core's place, and the core of each vector.
    cdef object group
    cdef const int64_t[::1] members
    cdef Py_ssize_t size
    cdef Py_ssize_t place
    cdef const void** sources       # one for each part
    cdef Part* parts
    cdef Py_ssize_t num_parts
    cdef Py_ssize_t num_own         # parts of this core
    cdef int dtype
    cdef uint64_t fingerprint
    cdef uint64_t order             # identifies the members and their order

    # By parity: the readers of the record, and the flag of a reader that is done.
    cdef int64_t* readers[2]
    cdef Py_ssize_t num_readers[2]
    cdef uint64_t released[2]

    def __cinit__(self, Flags flags, Py_ssize_t core, Py_ssize_t spins):
        if not 0 <= core < flags.cores:
            raise ValueError(
                f"Links: expected a core from 0 to cores - 1, got core={core}, "
                f"cores={flags.cores}"
            )
        self.flags = flags
        self.slots = flags.slots
        self.own = &flags.slots[core]
        self.core = core
        self.spins = spins
        self.readers[0] = <int64_t*>calloc(flags.cores, sizeof(int64_t))
        self.readers[1] = <int64_t*>calloc(flags.cores, sizeof(int64_t))
        if not (self.readers[0] and self.readers[1]):
            raise MemoryError

    def __dealloc__(self):
        free(self.sources)
        free(self.parts)
        free(self.readers[0])
        free(self.readers[1])

    def begin(self, uint64_t run):
        """Take part in a run from now on."""
        self.collectives = 0
        self.flag = run << 32
        self.flags.publish(self.core, self.flag)

    def finish(self):
        """Leave the run; a wait for this core that cannot succeed ends at once."""
        self.flags.leave(self.core, self.flag)

    def follow(self, Links member not None):
        """Take over the progress of the core that sums this core's vector."""
        self.flag, self.collectives = member.flag, member.collectives
        self.flags.publish(self.core, self.flag)

    def flat(self, group, source, result):
        """Sum small private vectors: every member folds all; return a status."""
        # Plain buffers: to make typed memoryviews would take longer than the sum.
        cdef Py_buffer vector
        cdef Py_buffer total
        cdef int status
        self.take(group)
        PyObject_GetBuffer(source, &vector, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(result, &total, PyBUF_WRITABLE)
            with nogil:
                status = self.run_flat(&vector, &total)
            PyBuffer_Release(&total)
        finally:
            PyBuffer_Release(&vector)
        return status

    def direct(
        self,
        group,
        Py_ssize_t table_offset,
        Py_ssize_t result_offset,
        Py_ssize_t count,
    ):
        """Sum vectors in the arena into one shared result and return a status."""
        cdef int status
        self.take(group)
        with nogil:
            status = self.check_sources(table_offset, count)
            if status == OK:
                status = self.check_vectors(result_offset, count, 1)
            if status == OK:
                status = self.enter(DIRECT, count, 2)
            if status == OK:
                self.offer(table_offset, result_offset, 0)
                status = self.meet()
            if status == OK:
                self.fold_chunk(count)
            if status == OK or status == MISMATCH:
                self.advance()
            if status == OK:
                status = self.all_reach(self.flag)
        return status

    def ring(
        self,
        group,
        Py_ssize_t table_offset,
        Py_ssize_t result_offset,
        Py_ssize_t scratch_offset,
        Py_ssize_t count,
    ):
        """Sum vectors in the arena by passing chunks to the right; return a status."""
        cdef int status
        self.take(group)
        with nogil:
            status = self.check_sources(table_offset, count)
            if status == OK:
                status = self.check_vectors(result_offset, count, self.num_own)
            if status == OK and tpuref_is_half(self.dtype):
                status = self.check_bytes(
                    scratch_offset, count, self.num_own * sizeof(float)
                )
            if status == OK:
                status = self.enter(RING, count, 2 * self.num_parts - 1)
            if status == OK:
                self.offer(table_offset, result_offset, scratch_offset)
                status = self.run_ring(count)
        return status

    # Checking arguments

    cdef int take(self, group) except -1:
        # Unpack a group. That costs as much as the rest of a call, and a program passes
        # the same few groups in every step, so the last one is cached by identity. A
        # group that is invalid for this core leaves place at -1: enter refuses it.
        cdef Py_ssize_t position
        if group is self.group:
            return 0
        self.group = None
        self.members, self.dtype, self.fingerprint, owners = group
        self.size = self.members.shape[0]
        self.place = -1
        self.order = 0
        self.num_own = 1
        for position in range(self.size):
            if not 0 <= self.members[position] < self.flags.cores:
                self.place = -1
                break
            if self.members[position] == self.core:
                if self.place >= 0:
                    self.place = -1
                    break
                self.place = position
            self.order = self.order * 31 + <uint64_t>self.members[position] + 1
        if self.place >= 0:
            self.take_parts(owners)
        self.group = group
        return 0

    cdef int take_parts(self, owners) except -1:
        # Store the core of each vector, and its rank among that core's vectors.
        cdef const int64_t[::1] places
        cdef Py_ssize_t position, other
        cdef Py_ssize_t count = self.size if owners is None else len(owners)
        sources = realloc(self.sources, max(count, 1) * sizeof(void*))
        if sources == NULL:
            raise MemoryError
        self.sources = <const void**>sources
        parts = realloc(self.parts, max(count, 1) * sizeof(Part))
        if parts == NULL:
            raise MemoryError
        self.parts = <Part*>parts
        self.num_parts = count
        if owners is None:
            for position in range(count):
                self.parts[position].core = self.members[position]
                self.parts[position].rank = 0
            return 0
        places = owners
        self.num_own = 0
        ranks = [0] * self.size
        for position in range(count):
            other = places[position]
            if not 0 <= other < self.size:
                self.place = -1
                self.num_own = 1
                return 0
            self.parts[position].core = self.members[other]
            self.parts[position].rank = ranks[other]
            ranks[other] += 1
            self.num_own += other == self.place
        return 0

    cdef int check_vectors(
        self, Py_ssize_t offset, Py_ssize_t count, Py_ssize_t vectors
    ) noexcept nogil:
        cdef Py_ssize_t item = tpuref_item_bytes(self.dtype)
        if item == 0:
            return BAD_DTYPE
        return self.check_bytes(offset, count, vectors * item)

    cdef int check_sources(self, Py_ssize_t table, Py_ssize_t count) noexcept nogil:
        # A table of offsets, and the vectors that it names.
        cdef Py_ssize_t own
        cdef int status = self.check_bytes(table, self.num_own, sizeof(int64_t))
        if status == OK and table % sizeof(int64_t) != 0:
            status = BAD_OFFSET
        if status != OK:
            return status
        for own in range(self.num_own):
            status = self.check_vectors(
                (<int64_t*>(self.flags.base + table))[own], count, 1
            )
            if status != OK:
                return status
        return OK

    cdef int check_bytes(
        self, Py_ssize_t offset, Py_ssize_t count, Py_ssize_t item
    ) noexcept nogil:
        cdef Py_ssize_t size = self.flags.arena.shape[0]
        if count < 0:
            return BAD_COUNT
        if offset < 0 or offset > size:
            return BAD_OFFSET
        return OK if count <= (size - offset) // max(item, 1) else BAD_OFFSET

    # Moving the flag, and waiting

    cdef void advance(self) noexcept nogil:
        self.flag += 1
        self.flags.publish(self.core, self.flag)

    cdef int reach(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        return self.flags.reach(core, target, self.spins, self.yields)

    cdef int all_reach(self, uint64_t target) noexcept nogil:
        cdef Py_ssize_t position
        cdef int status
        for position in range(self.size):
            if position != self.place:
                status = self.reach(self.members[position], target)
                if status != OK:
                    return status
        return OK

    # The parts of a collective

    cdef int enter(self, int kind, size_t count, Py_ssize_t phases) noexcept nogil:
        # Wait until the record of this parity is free, then fill it in.
        cdef Record* record
        cdef int status
        if self.place < 0:
            return BAD_MEMBERS
        self.parity = self.collectives & 1
        self.arrival = self.flag + 1
        self.yields = YIELDS
        if count * tpuref_item_bytes(self.dtype) > PATIENCE_BYTES:
            self.yields = 0
        status = self.reclaim()
        if status != OK:
            return status
        record = &self.own.records[self.parity]
        record.stamp = self.arrival
        record.kind = self.order << 16 | kind << 8 | self.dtype
        record.count = count
        record.fingerprint = self.fingerprint
        tpuref_store(&record.refused, 0)
        self.lend(self.flag + phases)
        self.collectives += 1
        return OK

    cdef int reclaim(self) noexcept nogil:
        # Wait until the readers of this record, two collectives ago, are done with it.
        # One that has left the run cannot read any more. If the groups do not change,
        # the last collective has shown all flags that are needed, and nothing waits.
        cdef uint64_t target = self.released[self.parity]
        cdef int64_t* readers = self.readers[self.parity]
        cdef Py_ssize_t position
        cdef int status
        if self.flags.is_poisoned():
            return POISONED
        for position in range(self.num_readers[self.parity]):
            if is_before(self.flags.seen[readers[position]], target):
                status = self.reach(readers[position], target)
                if status != OK and status != LEFT:
                    return status
        return OK

    cdef void lend(self, uint64_t released) noexcept nogil:
        # Store the readers of this collective's record, and their flag afterwards.
        cdef int64_t* readers = self.readers[self.parity]
        self.released[self.parity] = released
        self.num_readers[self.parity] = self.size
        memcpy(readers, &self.members[0], self.size * sizeof(int64_t))

    cdef void offer(
        self, size_t table, size_t result, size_t scratch
    ) noexcept nogil:
        cdef Record* record = &self.own.records[self.parity]
        record.table = table
        record.result = result
        record.scratch = scratch

    cdef int meet(self) noexcept nogil:
        # Arrive, wait for all members, and compare their records. Every member makes
        # the same comparisons on the same records, so either all of them see a
        # mismatch or none does.
        cdef Py_ssize_t position
        cdef int status
        self.advance()
        status = self.all_reach(self.arrival)
        if status != OK:
            return status
        for position in range(self.size):
            if self.differ(self.core, self.members[position]):
                return MISMATCH
        return OK

    cdef bint differ(self, Py_ssize_t core, Py_ssize_t other) noexcept nogil:
        cdef Record* a = &self.slots[core].records[self.parity]
        cdef Record* b = &self.slots[other].records[self.parity]
        return (
            a.stamp != b.stamp
            or a.kind != b.kind
            or a.count != b.count
            or a.fingerprint != b.fingerprint
        )

    cdef int run_flat(self, Py_buffer* source, Py_buffer* result) noexcept nogil:
        cdef size_t item = tpuref_item_bytes(self.dtype)
        cdef int status
        if item == 0:
            return BAD_DTYPE
        if source.len > STAGING_BYTES or source.len % item != 0:
            return SOURCE_SIZE
        if result.len * self.num_own != source.len:
            return DESTINATION_SIZE
        status = self.enter(FLAT, result.len // item, 2)
        if status == OK:
            if source.len > 0:
                memcpy(self.own.staging[self.parity], source.buf, source.len)
            status = self.meet()
        if status == OK:
            self.fold_staging(result.buf, result.len // item)
        if status == OK or status == MISMATCH:
            self.advance()
        return status

    cdef void fold_staging(self, void* result, size_t count) noexcept nogil:
        cdef Py_ssize_t size = count * tpuref_item_bytes(self.dtype)
        cdef Py_ssize_t position
        cdef Part* part
        for position in range(self.num_parts):
            part = &self.parts[position]
            self.sources[position] = (
                <unsigned char*>self.slots[part.core].staging[self.parity]
                + part.rank * size
            )
        tpuref_fold(self.sources, self.num_parts, result, 0, count, self.dtype, False)

    cdef void fold_chunk(self, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t position
        cdef Record* record
        for position in range(self.num_parts):
            self.sources[position] = self.flags.base + self.source_of(position)
        record = &self.slots[self.members[0]].records[self.parity]
        self.shared_result = record.result
        tpuref_fold(
            self.sources, self.num_parts, self.flags.base + record.result,
            chunk_start(count, self.size, self.place),
            chunk_start(count, self.size, self.place + 1),
            self.dtype, is_streamed(count, self.dtype),
        )

    cdef Record* record_of(self, Py_ssize_t part) noexcept nogil:
        return &self.slots[self.parts[part].core].records[self.parity]

    cdef int64_t source_of(self, Py_ssize_t part) noexcept nogil:
        # The offset of a vector, from the table of its core.
        cdef uint64_t table = self.record_of(part).table
        return (<int64_t*>(self.flags.base + table))[self.parts[part].rank]

    # The ring

    cdef Py_ssize_t ahead(self, Py_ssize_t part, Py_ssize_t count) noexcept nogil:
        # The bytes of the results or partial sums before this one in its core's record.
        return self.parts[part].rank * count * tpuref_item_bytes(self.dtype)

    cdef int run_ring(self, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t size = self.num_parts
        cdef Py_ssize_t step, own, left
        cdef int status
        cdef uint64_t end = self.flag + 2 * size - 1
        self.advance()
        if size == 1:
            self.sources[0] = self.flags.base + self.source_of(0)
            tpuref_fold(
                self.sources, 1, self.flags.base + self.record_of(0).result, 0, count,
                self.dtype, False,
            )
            return OK
        # Steps 0 to N - 2 are the reduce-scatter, the other N - 1 the all-gather. The
        # flag counts steps: a left neighbour with the same flag has finished the step
        # before, so the chunk to read is complete, and the chunk to overwrite has been
        # read (the module of the twin proves it). In one step the vectors of a core
        # work on different chunks, so their order does not matter.
        for step in range(2 * (size - 1)):
            for own in range(size):
                if self.parts[own].core == self.core:
                    left = left_of(own, size)
                    status = self.left_is_ready(self.parts[left].core, end)
                    if status != OK:
                        return status
                    self.ring_step(step, own, count)
            self.advance()
        # The right neighbour may still read from this core until it is done as well.
        for own in range(size):
            if self.parts[left_of(own, size)].core == self.core:
                status = self.reach(self.parts[own].core, end)
                if status != OK:
                    return status
        return OK

    cdef int left_is_ready(self, Py_ssize_t left, uint64_t end) noexcept nogil:
        # Wait until a left neighbour is as far as this core. On a mismatch with it, or
        # one that it passes on, mark the own record refused and jump to the end: the
        # right neighbour sees it in its next step, so all know within N - 1 steps.
        cdef int status = OK
        if left != self.core:
            status = self.reach(left, self.flag)
        if status != OK:
            return status
        if self.differ(self.core, left) or tpuref_load(
            &self.slots[left].records[self.parity].refused
        ):
            tpuref_store(&self.own.records[self.parity].refused, 1)
            self.flag = end
            self.flags.publish(self.core, end)
            return MISMATCH
        return OK

    cdef void ring_step(
        self, Py_ssize_t step, Py_ssize_t part, Py_ssize_t count
    ) noexcept nogil:
        # Add or copy one chunk from the left neighbour; see schedule.ring_chunks.
        cdef Py_ssize_t size = self.num_parts
        cdef Py_ssize_t chunk = (part + 2 * size - 1 - step) % size
        cdef Py_ssize_t start = chunk_start(count, size, chunk)
        cdef Py_ssize_t stop = chunk_start(count, size, chunk + 1)
        if step < size - 1:
            self.add_chunk(step, part, start, stop, count)
        else:
            self.copy_chunk(part, start, stop, count)

    cdef void add_chunk(
        self,
        Py_ssize_t step,
        Py_ssize_t part,
        Py_ssize_t start,
        Py_ssize_t stop,
        Py_ssize_t count,
    ) noexcept nogil:
        # Add a chunk of an own vector to the left neighbour's partial sum. Partial sums
        # of half types are float32 in scratch; the last addition rounds into result.
        cdef Py_ssize_t neighbour = left_of(part, self.num_parts)
        cdef Record* left = self.record_of(neighbour)
        cdef Record* own = self.record_of(part)
        cdef bint first = step == 0
        cdef bint last = step == self.num_parts - 2
        cdef bint half = tpuref_is_half(self.dtype)
        cdef Py_ssize_t wider = sizeof(float) // tpuref_item_bytes(self.dtype)
        cdef uint64_t partial = left.result + self.ahead(neighbour, count)
        cdef uint64_t total = own.result + self.ahead(part, count)
        if first:
            partial = self.source_of(neighbour)
        elif half:
            partial = left.scratch + wider * self.ahead(neighbour, count)
        if half and not last:
            total = own.scratch + wider * self.ahead(part, count)
        self.sources[0] = self.flags.base + self.source_of(part)
        tpuref_add(
            self.flags.base + partial, half and not first, self.sources, 1,
            self.flags.base + total, half and not last,
            start, stop, self.dtype, is_streamed(count, self.dtype),
        )

    cdef void copy_chunk(
        self, Py_ssize_t part, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t count
    ) noexcept nogil:
        # Copy a finished chunk from the left neighbour's result.
        cdef Py_ssize_t neighbour = left_of(part, self.num_parts)
        cdef Py_ssize_t item = tpuref_item_bytes(self.dtype)
        cdef uint64_t total = self.record_of(part).result + self.ahead(part, count)
        cdef uint64_t finished = (
            self.record_of(neighbour).result + self.ahead(neighbour, count)
        )
        tpuref_copy(
            self.flags.base + total + start * item,
            self.flags.base + finished + start * item,
            (stop - start) * item,
            is_streamed(count, self.dtype),
        )


cdef inline Py_ssize_t left_of(Py_ssize_t part, Py_ssize_t parts) noexcept nogil:
    return part - 1 if part > 0 else parts - 1


cdef inline Py_ssize_t chunk_start(
    Py_ssize_t count, Py_ssize_t chunks, Py_ssize_t chunk
) noexcept nogil:
    # The start of schedule.chunk_slice.
    return count * chunk // chunks


cdef inline bint is_streamed(Py_ssize_t count, int dtype) noexcept nogil:
    # Whether to write a result past the caches. Other cores have read this memory in
    # earlier collectives, and for more than a few lines it costs more to reclaim them
    # from their caches than to write to memory.
    return count >= STREAM_BYTES // <Py_ssize_t>tpuref_item_bytes(dtype)
