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
    ctypedef struct Margins "tpuref_margins":
        Py_ssize_t rows, columns, channels, above, left, height, width
    ctypedef struct Convolution "tpuref_convolution":
        const float* images
        const float* filters
        const float* gradient
        float* result
        const Py_ssize_t* runs
        Py_ssize_t num_runs, run
        Py_ssize_t batch, rows, columns
        Py_ssize_t image, row_step, column_step
        Py_ssize_t outputs, kept
    ctypedef struct Loops "tpuref_loops":
        void (*rows)(
            const Convolution*, const Margins*, float*, Py_ssize_t, Py_ssize_t
        ) noexcept nogil
        void (*filters)(const Convolution*, Py_ssize_t, Py_ssize_t) noexcept nogil
    const Loops* tpuref_best_loops() noexcept nogil
    void tpuref_transpose(
        const float*, float*, Py_ssize_t, Py_ssize_t
    ) noexcept nogil
    void tpuref_pad(const Margins*, const float*, float*) noexcept nogil
    Py_ssize_t tpuref_parts(const Convolution*) noexcept nogil

cdef class Work:
    """A convolution, whose parts threads compute."""

    cdef Convolution whole
    cdef Margins margins
    cdef bint padded
    cdef object held
    cdef float[:, :, :, ::1] copies

    cdef set(
        self,
        const float[:, :, :, ::1] images,
        const float[:, :, :, ::1] outputs,
        tuple window,
        tuple strides,
        tuple margins,
        tuple holes,
    ):
        """Set images and sizes; `outputs` has a row and column for each window."""
        cdef Py_ssize_t channels = images.shape[3], row
        cdef const Py_ssize_t[::1] runs
        cdef Margins* around = &self.margins
        (around.above, below), (around.left, right) = margins
        around.rows, around.columns = images.shape[1], images.shape[2]
        around.channels = channels
        around.height = around.above + images.shape[1] + below
        around.width = around.left + images.shape[2] + right
        self.padded = any(map(any, margins))
        row = around.width * channels
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
        self.whole.image = images.shape[1] * images.shape[2] * channels
        self.whole.row_step = strides[0] * row
        self.whole.column_step = strides[1] * channels
        self.whole.batch = outputs.shape[0]
        self.whole.rows = outputs.shape[1]
        self.whole.columns = outputs.shape[2]

    def convolve(self, Py_ssize_t first, Py_ssize_t last):
        cdef const Margins* margins = &self.margins if self.padded else NULL
        cdef float[::1] image = np.empty(self.size_with_margins(), np.float32)
        with nogil:
            tpuref_best_loops().rows(&self.whole, margins, &image[0], first, last)

    cdef Py_ssize_t size_with_margins(self):
        return self.margins.height * self.margins.width * self.margins.channels

    def pad(self, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t image
        with nogil:
            for image in range(first, last):
                tpuref_pad(
                    &self.margins,
                    self.whole.images + image * self.whole.image,
                    &self.copies[image, 0, 0, 0],
                )

    cdef read_copies(self):
        """Let all threads read images with margins."""
        cdef Margins* around = &self.margins
        shape = self.whole.batch, around.height, around.width, around.channels
        self.copies = np.empty(shape, np.float32)
        in_parts(self.pad, self.whole.batch, self.copies.size << 5)
        self.whole.images = &self.copies[0, 0, 0, 0]
        self.whole.image = self.size_with_margins()

    def add_filters(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            tpuref_best_loops().filters(&self.whole, first, last)


def correlate(images, filters, strides, margins, holes, result):
    """Write the convolution of `images` to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] weights = full_vectors(filters)
    cdef float[:, :, :, ::1] outputs = result
    work.set(images, outputs, filters.shape[:2], strides, margins, holes)
    work.whole.filters = &weights[0, 0, 0, 0]
    work.whole.outputs = weights.shape[3]
    work.whole.result = &outputs[0, 0, 0, 0]
    work.whole.kept = outputs.shape[3]
    in_parts(
        work.convolve, work.whole.batch * work.whole.rows,
        result.size * (filters.size // filters.shape[3]),
    )


def filter_gradient(images, gradient, strides, margins, holes, result):
    """Write the gradient of the filters to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] slopes = full_vectors(gradient)
    cdef float[:, :, :, ::1] total
    summed = np.zeros((*result.shape[:3], slopes.shape[3]), np.float32)
    total = summed
    work.set(images, slopes, result.shape[:2], strides, margins, holes)
    work.whole.gradient = &slopes[0, 0, 0, 0]
    work.whole.outputs = slopes.shape[3]
    work.whole.result = &total[0, 0, 0, 0]
    if work.padded:
        work.read_copies()
    in_parts(
        work.add_filters, tpuref_parts(&work.whole),
        gradient.size * (result.size // result.shape[3]),
    )
    result[...] = summed[..., : result.shape[3]]


def turned(filters):
    """Return filters turned by 180 degrees, with channels and outputs exchanged."""
    cdef const float[:, :, :, ::1] pixels = np.ascontiguousarray(filters)
    cdef Py_ssize_t rows = pixels.shape[0], columns = pixels.shape[1], row, column
    cdef Py_ssize_t channels = pixels.shape[2], outputs = pixels.shape[3]
    result = np.empty((rows, columns, outputs, channels), np.float32)
    cdef float[:, :, :, ::1] others = result
    if result.size:
        for row in range(rows):
            for column in range(columns):
                tpuref_transpose(
                    &pixels[rows - 1 - row, columns - 1 - column, 0, 0],
                    &others[row, column, 0, 0], channels, outputs,
                )
    return result


cdef full_vectors(array):
    """Return an array whose last axis is filled with zeros to whole vectors."""
    missing = -array.shape[3] % TPUREF_OUTPUTS
    if missing:
        array = np.pad(array, [(0, 0)] * 3 + [(0, missing)])
    return array
