# The layout of the control area, and the parts of Flags that links.pyx uses.

from libc.stdint cimport uint32_t, uint64_t

from tpuref.kernels.cython.status cimport FLAT_LIMIT as STAGING_BYTES

# A header, then a slot for every core. Words that different cores write lie 128 bytes
# apart, because processors fetch cache lines in pairs.

cdef struct Header:
    uint64_t poison
    unsigned char _unused[120]

cdef struct Record:
    uint64_t stamp          # the flag with which its core arrives
    uint64_t kind           # which collective, of which members and type
    uint64_t count
    uint64_t fingerprint
    uint64_t table          # the offset of the offsets of its vectors
    uint64_t result
    uint64_t scratch
    uint64_t refused        # in a ring: this core or one further left saw a mismatch

cdef struct Slot:
    uint64_t flag
    uint64_t last           # the flag before its core left
    uint32_t sleepers       # how many others may be asleep on the flag
    unsigned char _unused[108]
    Record records[2]
    unsigned char staging[2][STAGING_BYTES]

cdef enum:
    GONE = 0xFFFFFFFF

cdef class Flags:
    cdef unsigned char[::1] arena
    cdef unsigned char* base
    cdef Header* header
    cdef Slot* slots
    cdef Py_ssize_t cores
    cdef uint64_t* seen             # the last flag seen of each core

    cdef bint is_poisoned(self) noexcept nogil
    cdef void publish(self, Py_ssize_t core, uint64_t flag) noexcept nogil
    cdef void leave(self, Py_ssize_t core, uint64_t flag) noexcept nogil
    cdef int reach(
        self, Py_ssize_t core, uint64_t target, Py_ssize_t spins, Py_ssize_t yields
    ) noexcept nogil
    cdef int look(self, Py_ssize_t core, uint64_t target) noexcept nogil
    cdef int sleep(self, Py_ssize_t core, uint64_t target) noexcept nogil


cdef inline bint is_before(uint64_t flag, uint64_t other) noexcept nogil:
    # The sign of the difference decides, because the number of the run wraps around.
    return (flag - other) >> 63 != 0


cdef inline bint is_within(uint64_t flag, uint64_t other) noexcept nogil:
    # Whether `flag` is of the same run as `other`, and its core has not left the run.
    return flag >> 32 == other >> 32 and <uint32_t>flag != <uint32_t>GONE
