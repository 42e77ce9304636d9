# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The greatest pixels of windows over images, by all processors.

The twin of `tpuref.kernels.python.pooling`, which documents the arguments.
"""

from libc.stdint cimport int64_t

from tpuref.kernels.parts import in_parts

cdef extern from "pooling.h":
    ctypedef struct Pooling "tpuref_pooling":
        const float* images
        const float* backprop
        float* maxima
        float* gradient
        int64_t* positions
        Py_ssize_t height, width, down, along, above, left
        Py_ssize_t rows, columns, channels, steps_down, steps_along
        Py_ssize_t image, pixel, channel
    void tpuref_pool_images(const Pooling*, Py_ssize_t, Py_ssize_t) noexcept nogil


cdef class Work:
    """A pass over all windows, whose images threads share."""

    cdef Pooling whole

    cdef run(
        self,
        const float[:, :, :, ::1] images,
        tuple window,
        tuple strides,
        tuple before,
        steps,
    ):
        """Set images and sizes, and pool; the result is set."""
        self.whole.images = &images[0, 0, 0, 0] if images.size else NULL
        self.whole.height, self.whole.width = window
        self.whole.down, self.whole.along = strides
        self.whole.above, self.whole.left = before
        self.whole.rows, self.whole.columns = images.shape[1], images.shape[2]
        self.whole.channels = images.shape[3]
        self.whole.steps_down, self.whole.steps_along = steps[1], steps[2]
        in_parts(self.pool, images.shape[0], 8 * window[0] * window[1] * images.size)

    def pool(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            tpuref_pool_images(&self.whole, first, last)


def maxima(images, window, strides, before, float[:, :, :, ::1] result):
    """Write the greatest value of each window to `result`."""
    cdef Work work = Work()
    if result.size:
        work.whole.maxima = &result[0, 0, 0, 0]
        work.run(images, window, strides, before, result.shape)


def first_maxima(
    images, window, strides, before, distances, int64_t[:, :, :, ::1] positions
):
    """Write the position of the first greatest pixel of each window."""
    cdef Work work = Work()
    if positions.size:
        work.whole.image, work.whole.pixel, work.whole.channel = distances
        work.whole.positions = &positions[0, 0, 0, 0]
        work.run(images, window, strides, before, positions.shape)


def gradient(
    images,
    const float[:, :, :, ::1] backprop,
    window,
    strides,
    before,
    result,
):
    """Write the gradient of the images: each window's to its first greatest pixel."""
    cdef Work work = Work()
    cdef float[:, :, :, ::1] total = result
    if not backprop.size:
        result[...] = 0
    elif total.size:
        work.whole.backprop = &backprop[0, 0, 0, 0]
        work.whole.gradient = &total[0, 0, 0, 0]
        work.run(images, window, strides, before, backprop.shape)
