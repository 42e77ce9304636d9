# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""How core processes meet and add up vectors, over one shared memory mapping.

The twin of `tpuref.kernels.python.links`, which describes the protocol and says what
the arguments mean. Waiting is done without the interpreter's lock.
"""

from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from tpuref.kernels import status as codes
from tpuref.kernels.python.links import dtype_code

from tpuref.kernels.cython.status cimport (
    BAD_COUNT,
    BAD_DTYPE,
    BAD_MEMBERS,
    BAD_OFFSET,
    DEADLINE,
    DESTINATION_SIZE,
    LEFT,
    MISMATCH,
    OK,
    POISONED,
    SOURCE_SIZE,
)
from tpuref.kernels.cython.status cimport FLAT_LIMIT as STAGING_BYTES

cdef extern from "fold.h" nogil:
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
    int tpuref_fold(
        const void* const* sources, int count, void* destination,
        size_t start, size_t stop, int dtype, bint stream,
    )

cdef extern from "waiting.h" nogil:
    uint64_t tpuref_load(const uint64_t* word)
    void tpuref_store(uint64_t* word, uint64_t value)
    void tpuref_store_first(uint64_t* word, uint64_t value)
    uint32_t tpuref_load_count(const uint32_t* count)
    void tpuref_add_count(uint32_t* count, uint32_t change)
    void tpuref_pause()
    void tpuref_yield()
    int64_t tpuref_now()
    void tpuref_sleep(uint64_t* word, uint64_t seen, int64_t nanoseconds)
    void tpuref_wake(uint64_t* word)

# The control area: a header, then a slot for every core. Words that different cores
# write lie 128 bytes apart, because processors fetch cache lines in pairs.

cdef struct Header:
    uint64_t poison
    unsigned char _unused[120]

cdef struct Record:
    uint64_t stamp          # the flag with which its core arrives
    uint64_t kind           # which collective, of which members and type
    uint64_t count
    uint64_t fingerprint
    uint64_t source
    uint64_t result
    uint64_t scratch
    uint64_t refused        # in a ring: here or further left something differs

cdef struct Slot:
    uint64_t flag
    uint64_t last           # the flag before its core left
    uint32_t sleepers       # how many others may be asleep on the flag
    unsigned char _unused[108]
    Record records[2]
    unsigned char staging[2][STAGING_BYTES]

cdef enum:
    BARRIER = 1
    FLAT = 2
    DIRECT = 3
    RING = 4

cdef enum:
    PENDING = -1
    YIELDS = 200
    PATIENCE_BYTES = 262144     # of larger vectors, others have too much to add up
    SLICE = 5000000         # nanoseconds
    STREAM_BYTES = 16384

cdef uint32_t GONE = 0xFFFFFFFF

__all__ = ["FLAT_LIMIT", "Links", "control_bytes", "dtype_code"]

FLAT_LIMIT = codes.FLAT_LIMIT


def control_bytes(Py_ssize_t cores):
    """Give the size of the control area for so many cores."""
    return sizeof(Header) + cores * sizeof(Slot)


cdef class Links:
    """One core's end of the links to all others, or the host's."""

    cdef readonly Py_ssize_t shared_result
    cdef unsigned char[::1] arena
    cdef unsigned char* base
    cdef Header* header
    cdef Slot* slots
    cdef Slot* own
    cdef Py_ssize_t core
    cdef Py_ssize_t cores
    cdef Py_ssize_t spins
    cdef Py_ssize_t yields

    # The run, this core's flag in it, and how far it got.
    cdef uint64_t flag
    cdef int64_t deadline
    cdef Py_ssize_t collectives
    cdef uint64_t arrival
    cdef uint64_t awaited
    cdef uint64_t* seen             # the last flag seen of each core
    cdef const void** sources

    # The collective that runs: its members, this core's place, the records in use.
    cdef object members_given
    cdef const int64_t[::1] members_view
    cdef const int64_t* members
    cdef Py_ssize_t size
    cdef Py_ssize_t place
    cdef Py_ssize_t parity
    cdef uint64_t group             # stands for the members and their order

    # By parity: who reads what this core published, and the flag of those who have.
    cdef int64_t* readers[2]
    cdef Py_ssize_t num_readers[2]
    cdef uint64_t released[2]

    def __cinit__(
        self,
        unsigned char[::1] arena,
        Py_ssize_t control,
        Py_ssize_t core,
        Py_ssize_t cores,
        Py_ssize_t spins,
    ):
        if cores < 1 or not -1 <= core < cores:
            raise ValueError(
                f"Links: expected a core from 0 to cores - 1, or -1 for the host, got "
                f"core={core}, cores={cores}"
            )
        if control < 0 or control + control_bytes(cores) > arena.shape[0]:
            raise ValueError(
                f"Links: the control area of {cores} cores takes {control_bytes(cores)}"
                f" bytes, which an arena of {arena.shape[0]} does not have at {control}"
            )
        self.arena = arena
        self.base = &arena[0]
        if <uintptr_t>(self.base + control) % 64 != 0:
            raise ValueError("Links: the control area must lie at a multiple of 64")
        self.header = <Header*>(self.base + control)
        self.slots = <Slot*>(self.base + control + sizeof(Header))
        self.own = &self.slots[core] if core >= 0 else NULL
        self.core = core
        self.cores = cores
        self.spins = spins
        self.yields = YIELDS
        self.seen = <uint64_t*>calloc(cores, sizeof(uint64_t))
        self.sources = <const void**>calloc(cores, sizeof(void*))
        self.readers[0] = <int64_t*>calloc(cores, sizeof(int64_t))
        self.readers[1] = <int64_t*>calloc(cores, sizeof(int64_t))
        if not (self.seen and self.sources and self.readers[0] and self.readers[1]):
            raise MemoryError

    def __dealloc__(self):
        free(self.seen)
        free(self.sources)
        free(self.readers[0])
        free(self.readers[1])

    def begin(self, uint64_t run, double seconds):
        """Take part in a run from now on, for so many seconds at most."""
        cdef double left = seconds * 1e9
        if self.own == NULL:
            raise ValueError("begin: the host takes no part in runs")
        self.deadline = INT64_MAX if left >= 2.0**62 else tpuref_now() + <int64_t>left
        self.collectives = 0
        self.flag = run << 32
        self.publish(self.flag)

    def finish(self):
        """Leave the run; who waits for this core in vain learns of it at once."""
        if self.own == NULL:
            raise ValueError("finish: the host takes no part in runs")
        self.own.last = self.flag
        self.publish(self.flag | GONE)

    def poison(self, uint64_t code):
        """Make all others stop waiting, unless somebody has done so before."""
        cdef Py_ssize_t core
        tpuref_store_first(&self.header.poison, code)
        for core in range(self.cores):
            if tpuref_load_count(&self.slots[core].sleepers) != 0:
                tpuref_wake(&self.slots[core].flag)

    def poisoned(self):
        """Give the code of the first poison, 0 without."""
        return tpuref_load(&self.header.poison)

    def heal(self):
        """Take the poison away; for the host, between runs."""
        tpuref_store(&self.header.poison, 0)

    def barrier(self, members, uint64_t fingerprint):
        """Wait until all members have come here, and give a status."""
        cdef int status
        self.take(members)
        with nogil:
            status = self.enter(BARRIER, 0, 0, fingerprint, 2)
            if status == OK:
                status = self.meet()
            if status == OK or status == MISMATCH:
                self.advance()
        return status

    def flat(self, members, source, result, int dtype, uint64_t fingerprint):
        """Sum small private vectors: every member folds all; give a status."""
        # Plain buffers, because typed views of them would take longer than the sum.
        cdef Py_buffer vector
        cdef Py_buffer total
        cdef int status
        self.take(members)
        PyObject_GetBuffer(source, &vector, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(result, &total, PyBUF_WRITABLE)
            with nogil:
                status = self.run_flat(&vector, &total, dtype, fingerprint)
            PyBuffer_Release(&total)
        finally:
            PyBuffer_Release(&vector)
        return status

    def direct(
        self,
        members,
        Py_ssize_t source_offset,
        Py_ssize_t result_offset,
        Py_ssize_t count,
        int dtype,
        uint64_t fingerprint,
    ):
        """Sum vectors in the arena into one shared result and give a status."""
        cdef int status
        self.take(members)
        with nogil:
            status = self.check_vector(source_offset, count, dtype)
            if status == OK:
                status = self.check_vector(result_offset, count, dtype)
            if status == OK:
                status = self.enter(DIRECT, count, dtype, fingerprint, 2)
            if status == OK:
                self.offer(source_offset, result_offset, 0)
                status = self.meet()
            if status == OK:
                self.fold_chunk(count, dtype)
            if status == OK or status == MISMATCH:
                self.advance()
            if status == OK:
                status = self.all_reach(self.flag)
        return status

    def ring(
        self,
        members,
        Py_ssize_t source_offset,
        Py_ssize_t result_offset,
        Py_ssize_t scratch_offset,
        Py_ssize_t count,
        int dtype,
        uint64_t fingerprint,
    ):
        """Sum vectors in the arena by passing chunks to the right; give a status."""
        cdef int status
        self.take(members)
        with nogil:
            status = self.check_vector(source_offset, count, dtype)
            if status == OK:
                status = self.check_vector(result_offset, count, dtype)
            if status == OK and tpuref_is_half(dtype):
                status = self.check_bytes(scratch_offset, count, sizeof(float))
            if status == OK:
                status = self.enter(
                    RING, count, dtype, fingerprint, 2 * self.size - 1
                )
            if status == OK:
                self.offer(source_offset, result_offset, scratch_offset)
                status = self.run_ring(count, dtype)
        return status

    def late(self, members):
        """Give the members that keep this core waiting."""
        reached = {int(member): self.reached(member) for member in members}
        behind = {
            member: flag for member, flag in reached.items()
            if is_before(flag, self.awaited)
        }
        absent = [
            member for member, flag in behind.items() if is_before(flag, self.arrival)
        ]
        least = min(behind.values(), default=0)
        return absent or [member for member, flag in behind.items() if flag == least]

    def differing(self, members):
        """Give the members whose collective differs from that of the first."""
        came = [
            int(member) for member in members
            if not is_before(self.reached(member), self.arrival)
        ]
        first = members[0] if members[0] in came else self.core
        return [member for member in came if self.differ(first, member)]

    def position(self, Py_ssize_t core):
        """Give the run that a core is in, and its phase."""
        cdef uint64_t flag = tpuref_load(&self.slot(core).flag)
        return flag >> 32, flag & GONE

    cdef int take(self, members) except -1:
        # To take a buffer costs as much as all the rest of a call, and a program
        # brings the same few arrays over and over.
        if members is not self.members_given:
            self.members_view = members
            self.members_given = members
            self.size = self.members_view.shape[0]
            self.members = &self.members_view[0]
        return 0

    cdef Slot* slot(self, Py_ssize_t core) except NULL:
        if not 0 <= core < self.cores:
            raise ValueError(f"Links: there are {self.cores} cores, got core {core}")
        return &self.slots[core]

    # Checking arguments

    cdef int check_members(self) noexcept nogil:
        cdef Py_ssize_t position
        self.place = -1
        self.group = 0
        for position in range(self.size):
            if self.members[position] < 0 or self.members[position] >= self.cores:
                return BAD_MEMBERS
            if self.members[position] == self.core:
                if self.place >= 0:
                    return BAD_MEMBERS
                self.place = position
            self.group = self.group * 31 + <uint64_t>self.members[position] + 1
        return OK if self.place >= 0 else BAD_MEMBERS

    cdef int check_vector(
        self, Py_ssize_t offset, Py_ssize_t count, int dtype
    ) noexcept nogil:
        cdef size_t item = tpuref_item_bytes(dtype)
        if item == 0:
            return BAD_DTYPE
        return self.check_bytes(offset, count, item)

    cdef int check_bytes(
        self, Py_ssize_t offset, Py_ssize_t count, Py_ssize_t item
    ) noexcept nogil:
        if count < 0:
            return BAD_COUNT
        if offset < 0 or offset > self.arena.shape[0]:
            return BAD_OFFSET
        return OK if count <= (self.arena.shape[0] - offset) // item else BAD_OFFSET

    # Waiting

    cdef void publish(self, uint64_t flag) noexcept nogil:
        tpuref_store(&self.own.flag, flag)
        if tpuref_load_count(&self.own.sleepers) != 0:
            tpuref_wake(&self.own.flag)

    cdef void advance(self) noexcept nogil:
        self.flag += 1
        self.publish(self.flag)

    cdef int look(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        # Whether a core has reached a flag, as far as one look can tell.
        cdef Slot* slot = &self.slots[core]
        cdef uint64_t flag = tpuref_load(&slot.flag)
        self.seen[core] = flag
        if not is_before(flag, target):
            if is_within(flag, target):
                return OK
            if is_within(slot.last, target) and not is_before(slot.last, target):
                return OK
        if tpuref_load(&self.header.poison) != 0:
            return POISONED
        return PENDING if is_before(flag, target) else LEFT

    cdef int reach(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        # Wait until a core has reached a flag.
        cdef int status
        cdef Py_ssize_t turn
        self.awaited = target
        if is_within(self.seen[core], target) and not is_before(
            self.seen[core], target
        ):
            return OK
        status = self.look(core, target)
        for turn in range(self.spins + self.yields):
            if status != PENDING:
                return status
            if turn < self.spins:
                tpuref_pause()
            else:
                tpuref_yield()
            status = self.look(core, target)
        while status == PENDING:
            status = self.sleep(core, target)
        return status

    cdef int sleep(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        # Sleep once. The owner of a flag first stores it and then looks for sleepers;
        # this counts itself first and then looks at the flag; so one sees the other.
        cdef Slot* slot = &self.slots[core]
        cdef int64_t left = self.deadline - tpuref_now()
        cdef int status
        if left <= 0:
            status = self.look(core, target)
            return DEADLINE if status == PENDING else status
        tpuref_add_count(&slot.sleepers, 1)
        status = self.look(core, target)
        if status == PENDING:
            tpuref_sleep(&slot.flag, self.seen[core], min(left, SLICE))
        tpuref_add_count(&slot.sleepers, <uint32_t>-1)
        return status

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

    cdef int enter(
        self, int kind, size_t count, int dtype, uint64_t fingerprint, Py_ssize_t phases
    ) noexcept nogil:
        cdef int status = self.check_members()
        cdef Record* record
        if status != OK:
            return status
        self.parity = self.collectives & 1
        self.arrival = self.flag + 1
        self.yields = YIELDS
        if count * tpuref_item_bytes(dtype) > PATIENCE_BYTES:
            self.yields = 0
        status = self.reclaim()
        if status != OK:
            return status
        record = &self.own.records[self.parity]
        record.stamp = self.arrival
        record.kind = self.group << 16 | kind << 8 | dtype
        record.count = count
        record.fingerprint = fingerprint
        tpuref_store(&record.refused, 0)
        self.lend(kind, self.flag + phases)
        self.collectives += 1
        return OK

    cdef int reclaim(self) noexcept nogil:
        # Wait until what this core published under this parity has been read.
        cdef uint64_t target = self.released[self.parity]
        cdef int64_t* readers = self.readers[self.parity]
        cdef Py_ssize_t position
        cdef int status
        if tpuref_load(&self.header.poison) != 0:
            return POISONED
        for position in range(self.num_readers[self.parity]):
            if is_before(self.seen[readers[position]], target):
                status = self.reach(readers[position], target)
                if status != OK and status != LEFT:
                    return status
        return OK

    cdef void lend(self, int kind, uint64_t released) noexcept nogil:
        # Note who will read what is published now, and their flag when they have.
        cdef int64_t* readers = self.readers[self.parity]
        self.released[self.parity] = released
        if kind == RING:
            self.num_readers[self.parity] = 1
            readers[0] = self.neighbour(1)
        else:
            self.num_readers[self.parity] = self.size
            memcpy(readers, self.members, self.size * sizeof(int64_t))

    cdef void offer(
        self, size_t source, size_t result, size_t scratch
    ) noexcept nogil:
        cdef Record* record = &self.own.records[self.parity]
        record.source = source
        record.result = result
        record.scratch = scratch

    cdef int meet(self) noexcept nogil:
        # Arrive, wait for all members, and see whether they brought the same.
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

    cdef int run_flat(
        self, Py_buffer* source, Py_buffer* result, int dtype, uint64_t fingerprint
    ) noexcept nogil:
        cdef size_t item = tpuref_item_bytes(dtype)
        cdef int status
        if item == 0:
            return BAD_DTYPE
        if source.len > STAGING_BYTES or source.len % item != 0:
            return SOURCE_SIZE
        if result.len != source.len:
            return DESTINATION_SIZE
        status = self.enter(FLAT, source.len // item, dtype, fingerprint, 2)
        if status == OK:
            if source.len > 0:
                memcpy(self.own.staging[self.parity], source.buf, source.len)
            status = self.meet()
        if status == OK:
            self.fold_staging(result.buf, source.len // item, dtype)
        if status == OK or status == MISMATCH:
            self.advance()
        return status

    cdef void fold_staging(
        self, void* result, size_t count, int dtype
    ) noexcept nogil:
        cdef Py_ssize_t position
        for position in range(self.size):
            self.sources[position] = (
                self.slots[self.members[position]].staging[self.parity]
            )
        tpuref_fold(self.sources, self.size, result, 0, count, dtype, False)

    cdef void fold_chunk(self, Py_ssize_t count, int dtype) noexcept nogil:
        cdef Py_ssize_t position
        cdef Record* record
        for position in range(self.size):
            record = &self.slots[self.members[position]].records[self.parity]
            self.sources[position] = self.base + record.source
        record = &self.slots[self.members[0]].records[self.parity]
        self.shared_result = record.result
        tpuref_fold(
            self.sources, self.size, self.base + record.result,
            chunk_start(count, self.size, self.place),
            chunk_start(count, self.size, self.place + 1),
            dtype, is_streamed(count, dtype),
        )

    # The ring

    cdef Py_ssize_t neighbour(self, Py_ssize_t step) noexcept nogil:
        return self.members[(self.place + step + self.size) % self.size]

    cdef int run_ring(self, Py_ssize_t count, int dtype) noexcept nogil:
        cdef Py_ssize_t step
        cdef int status
        cdef uint64_t end = self.flag + 2 * self.size - 1
        self.advance()
        if self.size == 1:
            self.fold_alone(count, dtype)
            return OK
        for step in range(2 * (self.size - 1)):
            status = self.left_is_ready(end)
            if status != OK:
                return status
            if step < self.size - 1:
                self.add_chunk(step, count, dtype)
            else:
                self.copy_chunk(step - (self.size - 1), count, dtype)
            self.advance()
        return self.reach(self.neighbour(1), end)

    cdef void fold_alone(self, Py_ssize_t count, int dtype) noexcept nogil:
        cdef Record* own = &self.own.records[self.parity]
        self.sources[0] = self.base + own.source
        tpuref_fold(
            self.sources, 1, self.base + own.result, 0, count, dtype, False
        )

    cdef int left_is_ready(self, uint64_t end) noexcept nogil:
        # Wait until the left neighbour is as far as this core. Where it, or one before
        # it, found a difference, say so to the right and give up the other steps.
        cdef Py_ssize_t left = self.neighbour(-1)
        cdef int status = self.reach(left, self.flag)
        if status != OK:
            return status
        if self.differ(self.core, left) or tpuref_load(
            &self.slots[left].records[self.parity].refused
        ):
            tpuref_store(&self.own.records[self.parity].refused, 1)
            self.flag = end
            self.publish(end)
            return MISMATCH
        return OK

    cdef void add_chunk(
        self, Py_ssize_t step, Py_ssize_t count, int dtype
    ) noexcept nogil:
        # Add this core's part to what has come together further left.
        cdef Record* left = &self.slots[self.neighbour(-1)].records[self.parity]
        cdef Record* own = &self.own.records[self.parity]
        cdef bint first = step == 0
        cdef bint last = step == self.size - 2
        cdef Py_ssize_t chunk = (self.place - 1 - step + self.size) % self.size
        cdef bint half = tpuref_is_half(dtype)
        cdef uint64_t partial = left.result
        cdef uint64_t total = own.result
        if first:
            partial = left.source
        elif half:
            partial = left.scratch
        if half and not last:
            total = own.scratch
        self.sources[0] = self.base + own.source
        tpuref_add(
            self.base + partial, half and not first, self.sources, 1,
            self.base + total, half and not last,
            chunk_start(count, self.size, chunk),
            chunk_start(count, self.size, chunk + 1),
            dtype, is_streamed(count, dtype),
        )

    cdef void copy_chunk(
        self, Py_ssize_t step, Py_ssize_t count, int dtype
    ) noexcept nogil:
        # Take over a chunk that is complete.
        cdef Record* left = &self.slots[self.neighbour(-1)].records[self.parity]
        cdef Record* own = &self.own.records[self.parity]
        cdef Py_ssize_t chunk = (self.place - step + self.size) % self.size
        cdef Py_ssize_t item = tpuref_item_bytes(dtype)
        cdef Py_ssize_t start = chunk_start(count, self.size, chunk) * item
        cdef Py_ssize_t stop = chunk_start(count, self.size, chunk + 1) * item
        tpuref_copy(
            self.base + own.result + start,
            self.base + left.result + start,
            stop - start,
            is_streamed(count, dtype),
        )

    cdef uint64_t reached(self, Py_ssize_t core) except? 0:
        # The flag of a core as far as it counts in this run.
        cdef Slot* slot = self.slot(core)
        cdef uint64_t flag = tpuref_load(&slot.flag)
        cdef uint64_t start = self.awaited >> 32 << 32
        if is_within(flag, start) or is_before(flag, start):
            return flag
        return slot.last if is_within(slot.last, start) else start


cdef inline bint is_before(uint64_t flag, uint64_t other) noexcept nogil:
    # By the sign of the difference, because the number of the run comes round.
    return <int64_t>(flag - other) < 0


cdef inline bint is_within(uint64_t flag, uint64_t other) noexcept nogil:
    # Whether the first belongs to the run of the second, and to a core still in it.
    return flag >> 32 == other >> 32 and <uint32_t>flag != GONE


cdef inline Py_ssize_t chunk_start(
    Py_ssize_t count, Py_ssize_t chunks, Py_ssize_t chunk
) noexcept nogil:
    # As schedule.chunk_slice has it.
    return count * chunk // chunks


cdef inline bint is_streamed(Py_ssize_t count, int dtype) noexcept nogil:
    # Whether a result is written past the caches. It goes to where others have read
    # before, and to take those lines back from their caches costs more than memory does
    # as soon as there are some of them.
    return count >= STREAM_BYTES // <Py_ssize_t>tpuref_item_bytes(dtype)
