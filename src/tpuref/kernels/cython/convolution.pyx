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
from tpuref.kernels.python.convolution import LEAST_TOGETHER

cdef extern from "convolution.h":
    enum:
        TPUREF_OUTPUTS
        TPUREF_TILE
    ctypedef struct Axis "tpuref_axis":
        Py_ssize_t size, before, window, hole, stride, steps
    ctypedef struct Convolution "tpuref_convolution":
        const float* images
        const float* filters
        const float* gradient
        float* result
        const Py_ssize_t* runs
        Py_ssize_t run, runs_per_row
        Py_ssize_t batch, image, channels
        Py_ssize_t narrow, left
        Axis rows, columns
        Py_ssize_t outputs, kept
        Py_ssize_t next_image, next_row, next_step
        bint together
    ctypedef struct Loops "tpuref_loops":
        void (*rows)(const Convolution*, float*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*filters)(const Convolution*, Py_ssize_t, Py_ssize_t) noexcept nogil
    const Loops* tpuref_best_loops() noexcept nogil
    void tpuref_transpose(
        const float*, float*, Py_ssize_t, Py_ssize_t
    ) noexcept nogil
    void tpuref_widen(
        const float*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, float*
    ) noexcept nogil
    Py_ssize_t tpuref_lines(const Convolution*) noexcept nogil
    Py_ssize_t tpuref_parts(const Convolution*) noexcept nogil


cdef class Work:
    """A convolution, whose parts threads compute."""

    cdef Convolution whole
    cdef Py_ssize_t groups
    cdef object held
    cdef float[:, :, :, ::1] copies

    cdef set(
        self,
        const float[:, :, :, ::1] images,
        const float[:, :, :, :] outputs,
        tuple window,
        tuple strides,
        tuple margins,
        tuple holes,
        bint by_row,
        bint copied,
    ):
        """Set images and sizes; `outputs` has a row and column for each window.

        A run is a row of the window if `by_row`, else a pixel.  If `copied`, the zeros
        on the left and right of an image are those of a copy.
        """
        cdef Convolution* whole = &self.whole
        cdef Py_ssize_t channels = images.shape[3], row, run
        cdef Py_ssize_t[::1] runs
        whole.images = &images[0, 0, 0, 0]
        whole.image = images.shape[1] * images.shape[2] * channels
        whole.batch, whole.channels = images.shape[0], channels
        whole.rows.size, whole.columns.size = images.shape[1], images.shape[2]
        whole.rows.before, whole.columns.before = margins[0][0], margins[1][0]
        whole.rows.window, whole.columns.window = window
        whole.rows.hole, whole.columns.hole = holes
        whole.rows.stride, whole.columns.stride = strides
        whole.rows.steps, whole.columns.steps = outputs.shape[1], outputs.shape[2]
        if copied and any(margins[1]):
            whole.narrow = images.shape[2] * channels
            whole.left = margins[1][0] * channels
            whole.columns.size += sum(margins[1])
            whole.columns.before = 0
        row = whole.columns.size * channels
        whole.runs_per_row = 1 if by_row else window[1]
        whole.run = window[1] // whole.runs_per_row * channels
        self.held = runs = np.empty(window[0] * whole.runs_per_row, np.intp)
        for run in range(len(runs)):
            runs[run] = (
                run // whole.runs_per_row * whole.rows.hole * row
                + run % whole.runs_per_row * whole.columns.hole * channels
            )
        whole.runs = &runs[0]

    def convolve(self, Py_ssize_t first, Py_ssize_t last):
        cdef float[::1] wide = np.empty(self.size_of_copy(), np.float32)
        with nogil:
            tpuref_best_loops().rows(&self.whole, &wide[0], first, last)

    cdef Py_ssize_t size_of_copy(self):
        return self.whole.rows.size * self.whole.columns.size * self.whole.channels

    def widen(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            tpuref_widen(
                self.whole.images + first * self.whole.image,
                (last - first) * self.whole.rows.size, self.whole.narrow,
                self.whole.left, self.whole.columns.size * self.whole.channels,
                &self.copies[first, 0, 0, 0],
            )

    cdef read_copies(self):
        """Let all threads read copies of the images."""
        cdef Convolution* whole = &self.whole
        shape = whole.batch, whole.rows.size, whole.columns.size, whole.channels
        self.copies = np.empty(shape, np.float32)
        in_parts(self.widen, whole.batch, self.copies.size << 5)
        whole.images = &self.copies[0, 0, 0, 0]
        whole.image = self.size_of_copy()

    def add_filters(self, Py_ssize_t first, Py_ssize_t last):
        cdef Convolution own = self.whole
        cdef Py_ssize_t _group
        own.batch //= self.groups
        with nogil:
            for _group in range(self.groups):
                tpuref_best_loops().filters(&own, first, last)
                own.images += own.batch * own.image
                own.gradient += (
                    own.batch * own.rows.steps * own.columns.steps * own.outputs
                )
                own.result += own.rows.window * own.runs_per_row * own.run * own.outputs


def correlate(images, filters, strides, margins, holes, result):
    """Write the convolution of `images` to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] weights = full_vectors(filters)
    cdef float[:, :, :, :] outputs = result
    # Images together compute none of the zeros, but read pixels that lie far apart.
    work.whole.together = (
        min(len(images), images.shape[3]) >= LEAST_TOGETHER
        and sum(margins[1]) * TPUREF_TILE >= result.shape[2]
        and holes[1] == 1
    )
    work.set(
        images, outputs, filters.shape[:2], strides, margins, holes,
        by_row=holes[1] == 1, copied=not work.whole.together,
    )
    work.whole.filters = &weights[0, 0, 0, 0]
    work.whole.outputs = weights.shape[3]
    work.whole.result = &outputs[0, 0, 0, 0]
    work.whole.kept = outputs.shape[3]
    work.whole.next_image = outputs.strides[0] // 4
    work.whole.next_row = outputs.strides[1] // 4
    work.whole.next_step = outputs.strides[2] // 4
    in_parts(
        work.convolve, tpuref_lines(&work.whole),
        result.size * (filters.size // filters.shape[3]),
    )


def filter_gradient(images, gradient, strides, margins, holes, result):
    """Write the gradients of the filters of each group to `result`."""
    cdef Work work = Work()
    cdef const float[:, :, :, ::1] slopes = full_vectors(gradient)
    cdef float[:, :, :, :, ::1] total
    summed = np.zeros((*result.shape[:4], slopes.shape[3]), np.float32)
    total = summed
    # The weights of one pixel of the window have the same steps inside the image.
    by_row = holes[1] == 1 and images.shape[3] < LEAST_TOGETHER
    work.set(
        images, slopes, result.shape[1:3], strides, margins, holes,
        by_row=by_row, copied=by_row,
    )
    work.groups = len(result)
    work.whole.gradient = &slopes[0, 0, 0, 0]
    work.whole.outputs = slopes.shape[3]
    work.whole.result = &total[0, 0, 0, 0, 0]
    if work.whole.narrow:
        work.read_copies()
    in_parts(
        work.add_filters, tpuref_parts(&work.whole),
        gradient.size * (result[0].size // result.shape[4]),
    )
    result[...] = summed[..., : result.shape[4]]


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
