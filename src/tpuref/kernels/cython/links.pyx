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

from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from tpuref.kernels.cython.status cimport (
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

cdef extern from "fold.h" nogil:
    size_t tpuref_item_bytes(int dtype)
    bint tpuref_is_half(int dtype)
    void tpuref_add(
        const void* first, bint first_wide, const void* second,
        void* destination, bint wide, size_t count, int dtype, bint stream,
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
    uint64_t kind           # which collective, and of which type
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
    unsigned char staging[2][FLAT_LIMIT]

cdef enum:
    BARRIER = 1
    FLAT = 2
    DIRECT = 3
    RING = 4

cdef enum:
    PENDING = -1
    YIELDS = 200
    SLICE = 5000000         # nanoseconds

cdef uint32_t GONE = 0xFFFFFFFF


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
    cdef Py_ssize_t cache_bytes

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
        self.cache_bytes = last_level_cache()
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

    def begin(self, uint32_t run, double seconds):
        """Take part in a run from now on, for so many seconds at most."""
        cdef double left = seconds * 1e9
        if self.own == NULL:
            raise ValueError("begin: the host takes no part in runs")
        self.deadline = INT64_MAX if left >= 2.0**62 else tpuref_now() + <int64_t>left
        self.collectives = 0
        self.flag = <uint64_t>run << 32
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

    def flat(
        self,
        members,
        const unsigned char[::1] source,
        unsigned char[::1] result,
        int dtype,
        uint64_t fingerprint,
    ):
        """Sum small private vectors: every member folds all; give a status."""
        cdef Py_ssize_t size = source.shape[0]
        cdef size_t item = tpuref_item_bytes(dtype)
        cdef int status
        if item == 0:
            return BAD_DTYPE
        if size > FLAT_LIMIT or size % item != 0:
            return SOURCE_SIZE
        if result.shape[0] != size:
            return DESTINATION_SIZE
        self.take(members)
        with nogil:
            status = self.enter(FLAT, size // item, dtype, fingerprint, 2)
            if status == OK:
                memcpy(self.own.staging[self.parity], &source[0], size)
                status = self.meet()
            if status == OK:
                self.fold_staging(&result[0], size // item, dtype)
            if status == OK or status == MISMATCH:
                self.advance()
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
        cdef uint64_t least = self.awaited
        self.take(members)
        reached = {int(member): self.reached(member) for member in members}
        behind = {
            member: flag for member, flag in reached.items()
            if is_before(flag, self.awaited)
        }
        absent = [
            member for member, flag in behind.items() if is_before(flag, self.arrival)
        ]
        for flag in behind.values():
            if is_before(flag, least):
                least = flag
        return absent or [member for member, flag in behind.items() if flag == least]

    def differing(self, members):
        """Give the members whose collective differs from that of the first."""
        self.take(members)
        return [
            int(member) for member in members
            if self.differs(
                &self.slots[self.members[0]].records[self.parity],
                &self.slots[<Py_ssize_t>member].records[self.parity],
            )
        ]

    def position(self, Py_ssize_t core):
        """Give the run that a core is in, and its phase."""
        if not 0 <= core < self.cores:
            raise ValueError(f"position: there are {self.cores} cores, got {core}")
        flag = tpuref_load(&self.slots[core].flag)
        return flag >> 32, flag & GONE
