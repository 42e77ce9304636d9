# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Where the greatest pixels of windows over images lie.

The twin of `tpuref.kernels.python.pooling`, which documents the arguments.
"""

import numpy as np


def first_maxima(
    const float[:, :, :, ::1] images,
    tuple window,
    tuple strides,
    tuple before,
    int[:, :, :, ::1] pixels,
):
    """Write the number of the first greatest pixel of each window to `pixels`."""
    cdef Py_ssize_t channels = images.shape[3], columns = images.shape[2]
    cdef Py_ssize_t height = window[0], width = window[1]
    cdef Py_ssize_t down = strides[0], along = strides[1]
    cdef Py_ssize_t above = before[0], left = before[1]
    cdef Py_ssize_t b, r, k, y, x, top, side
    cdef float[::1] best = np.empty(channels, np.float32)
    if channels == 0:
        return
    with nogil:
        for b in range(pixels.shape[0]):
            for r in range(pixels.shape[1]):
                top = r * down - above
                for k in range(pixels.shape[2]):
                    side = k * along - left
                    fill(&pixels[b, r, k, 0], channels)
                    for y in range(max(top, 0), min(top + height, images.shape[1])):
                        for x in range(max(side, 0), min(side + width, columns)):
                            take_greater(
                                &images[b, y, x, 0], <int>(y * columns + x),
                                &best[0], &pixels[b, r, k, 0], channels,
                            )


cdef void fill(int* pixels, Py_ssize_t channels) noexcept nogil:
    cdef Py_ssize_t c
    for c in range(channels):
        pixels[c] = -1


cdef void take_greater(
    const float* values, int number, float* best, int* pixels, Py_ssize_t channels
) noexcept nogil:
    """Note the pixels that are greater than the best so far."""
    cdef Py_ssize_t c
    cdef bint better
    for c in range(channels):
        better = (
            (pixels[c] < 0)
            | (values[c] > best[c])
            | ((values[c] != values[c]) & (best[c] == best[c]))
        )
        best[c] = values[c] if better else best[c]
        pixels[c] = number if better else pixels[c]
