# The numbers of tpuref/kernels/status.py.

cdef enum:
    OK = 0
    BAD_COUNT = 1
    NO_SUCH_SHARD = 2
    SOURCE_SIZE = 3
    DESTINATION_SIZE = 4
    BAD_RANK = 5
    DOES_NOT_FIT = 6
    POISONED = 7
    LEFT = 8
    MISMATCH = 9
    BAD_MEMBERS = 10
    BAD_OFFSET = 11
    BAD_DTYPE = 12

cdef enum:
    FULL = 0
    PUT = 1
    PUT_FOR_SLEEPER = 2

cdef enum:
    MAX_RANK = 32
    FLAT_LIMIT = 8192
