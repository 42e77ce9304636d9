# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The flags of the cores and the poison: how processes of a pool wait and stop.

The twin of `tpuref.kernels.python.flags`, which describes the protocol and says what
the arguments mean. Waiting is done without the interpreter's lock.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

from tpuref.kernels.cython.flags cimport (
    GONE,
    Header,
    Slot,
    is_before,
    is_within,
)
from tpuref.kernels.cython.status cimport LEFT, OK, POISONED

cdef extern from "waiting.h" nogil:
    uint64_t tpuref_load(const uint64_t* word)
    void tpuref_store(uint64_t* word, uint64_t value)
    void tpuref_store_first(uint64_t* word, uint64_t value)
    uint32_t tpuref_load_count(const uint32_t* count)
    void tpuref_add_count(uint32_t* count, uint32_t change)
    void tpuref_pause()
    void tpuref_yield()
    void tpuref_sleep(uint64_t* word, uint64_t seen, int64_t nanoseconds)
    void tpuref_wake(uint64_t* word)

cdef enum:
    PENDING = -1
    SLICE = 5000000         # nanoseconds of one sleep; the poison is checked after each


def control_bytes(Py_ssize_t cores):
    """Return the size of the control area in bytes."""
    return sizeof(Header) + cores * sizeof(Slot)


cdef class Flags:
    """The flags of all cores and the poison, as one process sees them."""

    def __cinit__(
        self, unsigned char[::1] arena, Py_ssize_t control, Py_ssize_t cores
    ):
        if cores < 1:
            raise ValueError(f"Flags: expected 1 core or more, got cores={cores}")
        if control < 0 or control + control_bytes(cores) > arena.shape[0]:
            raise ValueError(
                f"Flags: the control area of {cores} cores takes {control_bytes(cores)}"
                f" bytes, which an arena of {arena.shape[0]} does not have at {control}"
            )
        self.arena = arena
        self.base = &arena[0]
        if <uintptr_t>(self.base + control) % 64 != 0:
            raise ValueError("Flags: the control area must lie at a multiple of 64")
        self.header = <Header*>(self.base + control)
        self.slots = <Slot*>(self.base + control + sizeof(Header))
        self.cores = cores
        self.seen = <uint64_t*>calloc(cores, sizeof(uint64_t))
        if self.seen == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.seen)

    def poison(self, uint64_t code):
        """Make all cores stop waiting; only the first poison counts."""
        cdef Py_ssize_t core
        tpuref_store_first(&self.header.poison, code)
        for core in range(self.cores):
            if tpuref_load_count(&self.slots[core].sleepers) != 0:
                tpuref_wake(&self.slots[core].flag)

    def poisoned(self):
        """Return the code of the first poison, 0 without."""
        return tpuref_load(&self.header.poison)

    def heal(self):
        """Remove the poison; for the host, between runs."""
        tpuref_store(&self.header.poison, 0)

    def position(self, Py_ssize_t core):
        """Return the run that a core is in, and its phase."""
        cdef uint64_t flag
        if not 0 <= core < self.cores:
            raise ValueError(f"Flags: there are {self.cores} cores, got core {core}")
        flag = tpuref_load(&self.slots[core].flag)
        return flag >> 32, <uint32_t>flag

    cdef bint is_poisoned(self) noexcept nogil:
        return tpuref_load(&self.header.poison) != 0

    cdef void publish(self, Py_ssize_t core, uint64_t flag) noexcept nogil:
        # Move a core's flag and wake its sleepers. The system call is made only if
        # there are any; `sleep` has the reason why none is missed.
        cdef Slot* slot = &self.slots[core]
        tpuref_store(&slot.flag, flag)
        if tpuref_load_count(&slot.sleepers) != 0:
            tpuref_wake(&slot.flag)

    cdef void leave(self, Py_ssize_t core, uint64_t flag) noexcept nogil:
        # `last` is stored before the flag, so a core that sees GONE reads the last
        # phase of this run.
        self.slots[core].last = flag
        self.publish(core, flag | <uint32_t>GONE)

    cdef int look(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        # Return whether a core has reached a flag, or PENDING. A target that was
        # reached counts even if the run is poisoned or the core has left by now.
        cdef Slot* slot = &self.slots[core]
        cdef uint64_t flag = tpuref_load(&slot.flag)
        self.seen[core] = flag
        if not is_before(flag, target):
            if is_within(flag, target):
                return OK
            if is_within(slot.last, target) and not is_before(slot.last, target):
                return OK
        if self.is_poisoned():
            return POISONED
        return PENDING if is_before(flag, target) else LEFT

    cdef int reach(
        self, Py_ssize_t core, uint64_t target, Py_ssize_t spins, Py_ssize_t yields
    ) noexcept nogil:
        # Wait until a core has reached a flag. Flags only grow, so the last one seen
        # may answer without touching the other core's cache line.
        cdef int status
        cdef Py_ssize_t turn
        if is_within(self.seen[core], target) and not is_before(
            self.seen[core], target
        ):
            return OK
        status = self.look(core, target)
        for turn in range(spins + yields):
            if status != PENDING:
                return status
            if turn < spins:
                tpuref_pause()
            else:
                tpuref_yield()
            status = self.look(core, target)
        while status == PENDING:
            status = self.sleep(core, target)
        return status

    cdef int sleep(self, Py_ssize_t core, uint64_t target) noexcept nogil:
        # Sleep once. The owner stores the flag and then loads the number of sleepers;
        # this core adds itself to the sleepers and then loads the flag. In any
        # interleaving at least one of the two sees the other's store, so no wake-up is
        # lost; the futex covers a flag that moves between that load and the sleep.
        cdef Slot* slot = &self.slots[core]
        cdef int status
        tpuref_add_count(&slot.sleepers, 1)
        status = self.look(core, target)
        if status == PENDING:
            tpuref_sleep(&slot.flag, self.seen[core], SLICE)
        tpuref_add_count(&slot.sleepers, <uint32_t>-1)
        return status
