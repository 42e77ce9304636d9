# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Padding an array with zeros up to a larger shape, on flat bytes.

The twin of `tpuref.kernels.python.padding`, which documents the arguments.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from tpuref.kernels.cython.status cimport (
    BAD_COUNT,
    BAD_RANK,
    DESTINATION_SIZE,
    DOES_NOT_FIT,
    MAX_RANK,
    OK,
    SOURCE_SIZE,
)

# A walk over the destination in memory order: rows of the source, each followed by a
# gap of zeros. Every byte is written once, with no pass that zeroes everything first.
cdef struct Walk:
    Py_ssize_t rows
    Py_ssize_t row_bytes
    Py_ssize_t row_gap          # bytes from the end of a row to the next row
    Py_ssize_t axes             # the number of axes outside a row
    Py_ssize_t index[MAX_RANK]
    Py_ssize_t extent[MAX_RANK]
    Py_ssize_t gap[MAX_RANK]    # bytes of padding at the end of the axis


def pad(
    const unsigned char[::1] source,
    const int64_t[::1] source_shape,
    unsigned char[::1] destination,
    const int64_t[::1] destination_shape,
    Py_ssize_t item_bytes,
):
    """Copy an array into the corner of a larger one, zero the rest, return a status."""
    cdef Py_ssize_t rank = source_shape.shape[0]
    cdef int status
    cdef Walk walk
    if destination_shape.shape[0] != rank or rank > MAX_RANK:
        return BAD_RANK
    with nogil:
        status = check(
            source.shape[0], &source_shape[0],
            destination.shape[0], &destination_shape[0], rank, item_bytes,
        )
        if status == OK and not fits(&source_shape[0], &destination_shape[0], rank):
            status = DOES_NOT_FIT
        if status == OK and destination.shape[0] > 0:
            if source.shape[0] == 0:
                memset(&destination[0], 0, destination.shape[0])
            else:
                start(
                    &walk, &source_shape[0], &destination_shape[0], rank, item_bytes
                )
                spread_rows(&walk, &source[0], &destination[0])
    return status


cdef int check(
    Py_ssize_t source_size,
    const int64_t* source_shape,
    Py_ssize_t destination_size,
    const int64_t* destination_shape,
    Py_ssize_t rank,
    Py_ssize_t item_bytes,
) noexcept nogil:
    cdef Py_ssize_t axis
    if item_bytes < 0:
        return BAD_COUNT
    for axis in range(rank):
        if source_shape[axis] < 0 or destination_shape[axis] < 0:
            return BAD_COUNT
    if not is_size(source_size, source_shape, rank, item_bytes):
        return SOURCE_SIZE
    if not is_size(destination_size, destination_shape, rank, item_bytes):
        return DESTINATION_SIZE
    return OK


cdef bint is_size(
    Py_ssize_t size, const int64_t* shape, Py_ssize_t rank, Py_ssize_t item_bytes
) noexcept nogil:
    # size == the product of the dimensions * item_bytes, by division because the
    # product may overflow.
    cdef Py_ssize_t axis
    for axis in range(rank):
        if shape[axis] == 0:
            return size == 0
    for axis in range(rank):
        if size % shape[axis] != 0:
            return False
        size //= shape[axis]
    return size == item_bytes


cdef bint fits(
    const int64_t* small, const int64_t* large, Py_ssize_t rank
) noexcept nogil:
    cdef Py_ssize_t axis
    for axis in range(rank):
        if small[axis] > large[axis]:
            return False
    return True


cdef void start(
    Walk* walk,
    const int64_t* small,
    const int64_t* large,
    Py_ssize_t rank,
    Py_ssize_t item_bytes,
) noexcept nogil:
    # Trailing axes of equal extent are contiguous in both arrays. Together with the
    # last axis that differs they form a row: the longest copy in one piece.
    cdef Py_ssize_t step = item_bytes
    cdef Py_ssize_t axis = rank
    while axis > 0 and small[axis - 1] == large[axis - 1]:
        axis -= 1
        step *= large[axis]
    walk.row_bytes = step
    walk.row_gap = 0
    if axis > 0:
        axis -= 1
        walk.row_bytes = step * small[axis]
        walk.row_gap = step * (large[axis] - small[axis])
        step *= large[axis]
    walk.axes = axis
    walk.rows = 1
    while axis > 0:
        axis -= 1
        walk.index[axis] = 0
        walk.extent[axis] = small[axis]
        walk.gap[axis] = step * (large[axis] - small[axis])
        walk.rows *= small[axis]
        step *= large[axis]


cdef Py_ssize_t next_gap(Walk* walk) noexcept nogil:
    # Step to the next row and return the padding before it: like an odometer, every
    # axis that is completed adds its gap.
    cdef Py_ssize_t gap = walk.row_gap
    cdef Py_ssize_t axis = walk.axes
    while axis > 0:
        axis -= 1
        walk.index[axis] += 1
        if walk.index[axis] < walk.extent[axis]:
            break
        walk.index[axis] = 0
        gap += walk.gap[axis]
    return gap


cdef void spread_rows(
    Walk* walk, const unsigned char* source, unsigned char* destination
) noexcept nogil:
    cdef Py_ssize_t _row, gap
    for _row in range(walk.rows):
        memcpy(destination, source, walk.row_bytes)
        gap = next_gap(walk)
        memset(destination + walk.row_bytes, 0, gap)
        source += walk.row_bytes
        destination += walk.row_bytes + gap
