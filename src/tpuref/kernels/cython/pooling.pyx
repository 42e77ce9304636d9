# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The greatest pixels of windows over images.

The twin of `tpuref.kernels.python.pooling`, which documents the arguments.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

# The windows over images, and where the pixels of the current one begin and end.
cdef struct Walk:
    Py_ssize_t height, width, down, along, above, left, rows, columns
    Py_ssize_t top, bottom, first, last


cdef Walk walk_of(
    const float[:, :, :, ::1] images, tuple window, tuple strides, tuple before
):
    cdef Walk walk
    walk.height, walk.width = window
    walk.down, walk.along = strides
    walk.above, walk.left = before
    walk.rows, walk.columns = images.shape[1], images.shape[2]
    return walk


cdef void go_to(Walk* walk, Py_ssize_t row, Py_ssize_t column) noexcept nogil:
    cdef Py_ssize_t top = row * walk.down - walk.above
    cdef Py_ssize_t first = column * walk.along - walk.left
    walk.top, walk.bottom = max(top, 0), min(top + walk.height, walk.rows)
    walk.first, walk.last = max(first, 0), min(first + walk.width, walk.columns)


def maxima(
    const float[:, :, :, ::1] images,
    tuple window,
    tuple strides,
    tuple before,
    float[:, :, :, ::1] result,
):
    """Write the greatest value of each window to `result`."""
    cdef Walk walk = walk_of(images, window, strides, before)
    cdef Py_ssize_t b, r, k, y, x, c, channels = images.shape[3]
    cdef const float* values
    cdef float* best
    with nogil:
        for b in range(result.shape[0]):
            for r in range(result.shape[1]):
                for k in range(result.shape[2]):
                    go_to(&walk, r, k)
                    best = &result[b, r, k, 0]
                    for c in range(channels):
                        best[c] = -INFINITY
                    for y in range(walk.top, walk.bottom):
                        for x in range(walk.first, walk.last):
                            values = &images[b, y, x, 0]
                            for c in range(channels):
                                best[c] = best[c] if best[c] >= values[c] else (
                                    values[c] if best[c] == best[c] else best[c]
                                )


def first_maxima(
    const float[:, :, :, ::1] images,
    tuple window,
    tuple strides,
    tuple before,
    tuple distances,
    int64_t[:, :, :, ::1] positions,
):
    """Write the position of the first greatest pixel of each window."""
    cdef Walk walk = walk_of(images, window, strides, before)
    cdef Py_ssize_t b, r, k, y, x, c, channels = images.shape[3]
    cdef Py_ssize_t image = distances[0], pixel = distances[1], channel = distances[2]
    cdef float[::1] best = np.empty(channels + 1, np.float32)
    cdef int[::1] found = np.empty(channels + 1, np.int32)
    with nogil:
        for b in range(positions.shape[0]):
            for r in range(positions.shape[1]):
                for k in range(positions.shape[2]):
                    go_to(&walk, r, k)
                    for c in range(channels):
                        found[c] = -1
                    for y in range(walk.top, walk.bottom):
                        for x in range(walk.first, walk.last):
                            take_greater(
                                &images[b, y, x, 0], <int>(y * walk.columns + x),
                                &best[0], &found[0], channels,
                            )
                    for c in range(channels):
                        positions[b, r, k, c] = -1 if found[c] < 0 else (
                            b * image + found[c] * pixel + c * channel
                        )


cdef void take_greater(
    const float* values, int number, float* best, int* found, Py_ssize_t channels
) noexcept nogil:
    """Note the pixels that are greater than the best so far."""
    cdef Py_ssize_t c
    cdef bint better
    for c in range(channels):
        better = (
            (found[c] < 0)
            | (values[c] > best[c])
            | ((values[c] != values[c]) & (best[c] == best[c]))
        )
        best[c] = values[c] if better else best[c]
        found[c] = number if better else found[c]
