# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The all-reduce algorithms, all cores of a group in one process.

The twin of `tpuref.kernels.python.allreduce`, which says what the arguments mean.
"""

from libc.stdlib cimport calloc, free

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.kernels import schedule
from tpuref.kernels.buffers import byte_view
from tpuref.kernels.python.allreduce import accumulator, check_contributions

cdef extern from "fold.h" nogil:
    const char* tpuref_vector_instructions()
    int tpuref_fold(
        const void* const* sources, int count, void* destination,
        size_t start, size_t stop, int dtype, bint stream,
    )


def vector_instructions():
    """Name the instructions that add up: avx512f, avx2 or plain."""
    return tpuref_vector_instructions().decode()


def fold(contributions):
    """Add up the contributions from left to right: the meaning of an all-reduce."""
    check_contributions(contributions)
    sources = contiguous(contributions)
    result = np.empty_like(sources[0])
    fold_slice(sources, result, slice(0, result.size))
    return result


def ring(contributions):
    """Sum by reduce-scatter and all-gather between neighbours."""
    check_contributions(contributions)
    sources = contiguous(contributions)
    num_cores = len(sources)
    result = np.empty_like(sources[0])
    for chunk in range(num_cores):
        order = schedule.ring_fold_order(num_cores, chunk)
        place = schedule.chunk_slice(result.size, num_cores, chunk)
        fold_slice([sources[core] for core in order], result, place)
    return [result, *(result.copy() for _ in sources[1:])]


def direct(contributions):
    """Sum slice by slice: the owner of each folds it into one shared result."""
    check_contributions(contributions)
    sources = contiguous(contributions)
    num_cores = len(sources)
    result = np.empty_like(sources[0])
    for owner in range(num_cores):
        place = schedule.chunk_slice(result.size, num_cores, owner)
        fold_slice(sources, result, place)
    return result


def flat(contributions):
    """Sum without a division of labour: every core folds all contributions."""
    check_contributions(contributions)
    return [fold(contributions) for _ in contributions]


def contiguous(contributions):
    """Give the contributions as arrays that the loops can walk."""
    accumulator(contributions[0].dtype)
    return [np.ascontiguousarray(vector) for vector in contributions]


cdef int fold_slice(list sources, result, place) except -1:
    cdef list views = [byte_view(vector) for vector in sources]
    cdef const unsigned char[::1] view
    cdef unsigned char[::1] destination = byte_view(result)
    cdef int dtype = as_dtype(result.dtype).as_datatype_enum
    cdef int count = len(views)
    cdef size_t start = place.start
    cdef size_t stop = place.stop
    cdef const void** addresses
    cdef int source
    if start == stop:
        return 0
    addresses = <const void**>calloc(count, sizeof(void*))
    if addresses == NULL:
        raise MemoryError
    try:
        for source in range(count):
            view = views[source]
            addresses[source] = &view[0]
        with nogil:
            tpuref_fold(
                addresses, count, &destination[0], start, stop, dtype, False
            )
    finally:
        free(addresses)
    return 0
