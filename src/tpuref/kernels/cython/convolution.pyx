# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Convolution of float32 images straight from memory, by all processors.

The twin of `tpuref.kernels.python.convolution`, which documents the arguments. It adds
the products of a window in its own order, so its sums round differently.
"""

import numpy as np

from tpuref.kernels.parts import in_parts

cdef extern from "convolution.h":
    enum:
        TPUREF_OUTPUTS
    ctypedef struct Convolution "tpuref_convolution":
        const float* images
        const float* filters
        const float* gradient
        float* result
        const Py_ssize_t* runs
        Py_ssize_t num_runs
        Py_ssize_t run
        Py_ssize_t batch
        Py_ssize_t rows
        Py_ssize_t columns
        Py_ssize_t image
        Py_ssize_t row_step
        Py_ssize_t column_step
        Py_ssize_t outputs
        Py_ssize_t kept
    ctypedef struct Loops "tpuref_loops":
        void (*rows)(const Convolution*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*filters)(const Convolution*, Py_ssize_t, Py_ssize_t) noexcept nogil
    const Loops* tpuref_best_loops() noexcept nogil
    Py_ssize_t tpuref_parts(const Convolution*) noexcept nogil

cdef class Work:
    """A convolution, whose parts threads compute."""

    cdef Convolution whole
    cdef object held

    cdef set(
        self,
        const float[:, :, :, ::1] images,
        const float[:, :, :, ::1] outputs,
        tuple window,
        tuple strides,
        tuple holes,
    ):
        """Set images and sizes; `outputs` has a row and column for each window."""
        cdef Py_ssize_t row = images.shape[2] * images.shape[3]
        cdef Py_ssize_t channels = images.shape[3]
        cdef const Py_ssize_t[::1] runs
        if holes[1] == 1:
            runs = np.arange(window[0]) * (holes[0] * row)
            self.whole.run = window[1] * channels
        else:
            runs = np.add.outer(
                np.arange(window[0]) * (holes[0] * row),
                np.arange(window[1]) * (holes[1] * channels),
            ).ravel()
            self.whole.run = channels
        self.held = runs
        self.whole.runs = &runs[0]
        self.whole.num_runs = runs.shape[0]
        self.whole.images = &images[0, 0, 0, 0]
        self.whole.image = images.shape[1] * row
        self.whole.row_step = strides[0] * row
        self.whole.column_step = strides[1] * channels
        self.whole.batch = outputs.shape[0]
        self.whole.rows = outputs.shape[1]
        self.whole.columns = outputs.shape[2]

    def convolve(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            tpuref_best_loops().rows(&self.whole, first, last)

    def add_filters(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            tpuref_best_loops().filters(&self.whole, first, last)


def correlate(images, filters, strides, holes, result):
    """Write the convolution of padded images to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] weights = full_vectors(filters)
    cdef float[:, :, :, ::1] outputs = result
    work.set(images, outputs, filters.shape[:2], strides, holes)
    work.whole.filters = &weights[0, 0, 0, 0]
    work.whole.outputs = weights.shape[3]
    work.whole.result = &outputs[0, 0, 0, 0]
    work.whole.kept = outputs.shape[3]
    in_parts(
        work.convolve, work.whole.batch * work.whole.rows,
        result.size * (filters.size // filters.shape[3]),
    )


def filter_gradient(images, gradient, strides, holes, result):
    """Write the gradient of the filters to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] slopes = full_vectors(gradient)
    cdef float[:, :, :, ::1] total
    summed = np.zeros((*result.shape[:3], slopes.shape[3]), np.float32)
    total = summed
    work.set(images, slopes, result.shape[:2], strides, holes)
    work.whole.gradient = &slopes[0, 0, 0, 0]
    work.whole.outputs = slopes.shape[3]
    work.whole.result = &total[0, 0, 0, 0]
    in_parts(
        work.add_filters, tpuref_parts(&work.whole),
        gradient.size * (result.size // result.shape[3]),
    )
    result[...] = summed[..., : result.shape[3]]


cdef full_vectors(array):
    """Return an array whose last axis is filled with zeros to whole vectors."""
    missing = -array.shape[3] % TPUREF_OUTPUTS
    if missing:
        array = np.pad(array, [(0, 0)] * 3 + [(0, missing)])
    return array
