# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Cutting an array into shards along an axis, and joining them, on flat bytes.

The twin of `tpuref.kernels.python.sharding`, which documents the arguments.
"""

from libc.string cimport memcpy

from tpuref.kernels.cython.status cimport (
    BAD_COUNT,
    DESTINATION_SIZE,
    NO_SUCH_SHARD,
    OK,
    SOURCE_SIZE,
)


def take_shard(
    const unsigned char[::1] source,
    unsigned char[::1] destination,
    Py_ssize_t outer,
    Py_ssize_t run_bytes,
    Py_ssize_t num_shards,
    Py_ssize_t shard,
):
    """Copy one shard out of the whole array and return a status."""
    cdef int status = check_counts(outer, run_bytes, num_shards, shard)
    if status != OK:
        return status
    if not is_product(source.shape[0], outer, num_shards, run_bytes):
        return SOURCE_SIZE
    if not is_product(destination.shape[0], outer, 1, run_bytes):
        return DESTINATION_SIZE
    if destination.shape[0] > 0:
        with nogil:
            copy_runs(
                &source[shard * run_bytes], num_shards * run_bytes,
                &destination[0], run_bytes,
                run_bytes, outer,
            )
    return OK


def put_shard(
    const unsigned char[::1] source,
    unsigned char[::1] destination,
    Py_ssize_t outer,
    Py_ssize_t run_bytes,
    Py_ssize_t num_shards,
    Py_ssize_t shard,
):
    """Copy one shard to its place in the whole array and return a status."""
    cdef int status = check_counts(outer, run_bytes, num_shards, shard)
    if status != OK:
        return status
    if not is_product(source.shape[0], outer, 1, run_bytes):
        return SOURCE_SIZE
    if not is_product(destination.shape[0], outer, num_shards, run_bytes):
        return DESTINATION_SIZE
    if source.shape[0] > 0:
        with nogil:
            copy_runs(
                &source[0], run_bytes,
                &destination[shard * run_bytes], num_shards * run_bytes,
                run_bytes, outer,
            )
    return OK


cdef int check_counts(
    Py_ssize_t outer, Py_ssize_t run_bytes, Py_ssize_t num_shards, Py_ssize_t shard
) noexcept nogil:
    if outer < 0 or run_bytes < 0 or num_shards < 1:
        return BAD_COUNT
    if shard < 0 or shard >= num_shards:
        return NO_SUCH_SHARD
    return OK


cdef bint is_product(
    Py_ssize_t size, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c
) noexcept nogil:
    # size == a * b * c, by division because the product may overflow.
    if a == 0 or b == 0 or c == 0:
        return size == 0
    return size % a == 0 and size // a % b == 0 and size // a // b == c


cdef void copy_runs(
    const unsigned char* source,
    Py_ssize_t source_step,
    unsigned char* destination,
    Py_ssize_t destination_step,
    Py_ssize_t run_bytes,
    Py_ssize_t runs,
) noexcept nogil:
    # The compiler turns a copy of constant length into an instruction or two, any other
    # into a call. That matters if the last axis is cut: a run is then a few elements.
    if run_bytes == 1:
        copy_each(source, source_step, destination, destination_step, 1, runs)
    elif run_bytes == 2:
        copy_each(source, source_step, destination, destination_step, 2, runs)
    elif run_bytes == 4:
        copy_each(source, source_step, destination, destination_step, 4, runs)
    elif run_bytes == 8:
        copy_each(source, source_step, destination, destination_step, 8, runs)
    elif run_bytes == 16:
        copy_each(source, source_step, destination, destination_step, 16, runs)
    else:
        copy_each(source, source_step, destination, destination_step, run_bytes, runs)


cdef inline void copy_each(
    const unsigned char* source,
    Py_ssize_t source_step,
    unsigned char* destination,
    Py_ssize_t destination_step,
    Py_ssize_t run_bytes,
    Py_ssize_t runs,
) noexcept nogil:
    cdef Py_ssize_t _run
    for _run in range(runs):
        memcpy(destination, source, run_bytes)
        source += source_step
        destination += destination_step
