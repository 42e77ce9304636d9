# cython: language_level=3
# cython: boundscheck=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Products of matrices, and sums of them in one pass.

The twin of `tpuref.kernels.python.products`, which documents the arguments.  BLAS
multiplies small and wide matrices, and all without AVX-512: it is faster there.
"""

from cpython.buffer cimport PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uintptr_t

import numpy as np

from tpuref.kernels.parts import in_parts

cdef extern from "products.h":
    enum:
        TPUREF_GROUP, TPUREF_OUTPUTS
    ctypedef struct Products "tpuref_products":
        const float* const* lefts
        const float* const* rights
        Py_ssize_t count, inner, rows, columns
        Py_ssize_t left_apart, right_apart, result_apart
        bint left_turned, right_turned
        float* result
    bint tpuref_multiplies() noexcept nogil
    void tpuref_multiply(
        const Products*, Py_ssize_t, Py_ssize_t, float*, float*
    ) noexcept nogil
    ctypedef struct Sums "tpuref_sums_of_products":
        Py_ssize_t height
        void copy(const Products*, Py_ssize_t, float*) noexcept nogil
        void add_up(const Products*, Py_ssize_t, Py_ssize_t, Py_ssize_t) noexcept nogil
    const Sums* tpuref_sums() noexcept nogil

cdef enum:
    MOST_AXES = 32

_LEAST = 4
_LEAST_WORK, _LEAST_WORK_TURNED = 1 << 21, 1 << 18
"""The least rows or columns, and multiplications, for which BLAS is not faster.

The last limit is for a transposed right matrix.
"""

_WIDE, _LONG = 512, 384
"""BLAS is faster from so many columns on. Its sums of at most so many products have the
bits of this kernel; those of longer sums depend on the number of its threads.
"""


cdef struct Matrices:
    float* first
    Py_ssize_t apart
    bint turned
    Py_ssize_t[MOST_AXES] strides


cdef bint read(array, tuple batch, Matrices* matrices) except -1:
    """Describe an array; return whether its rows or columns are whole in memory.

    The strides are those of the axes of `batch`, in floats.
    """
    cdef Py_buffer view
    cdef Py_ssize_t down, along, axis, own
    cdef bint fits
    PyObject_GetBuffer(array, &view, PyBUF_STRIDES)
    down, along = view.strides[view.ndim - 2], view.strides[view.ndim - 1]
    matrices.first = <float*>view.buf
    matrices.turned = along != 4
    matrices.apart = (along if matrices.turned else down) // 4
    fits = matrices.apart >= view.shape[view.ndim - (2 if matrices.turned else 1)]
    fits = fits and min(down, along) == 4 and max(down, along) % 4 == 0
    for axis in range(len(batch)):
        own = view.ndim - 2 - len(batch) + axis
        matrices.strides[axis] = 0
        if own >= 0 and view.shape[own] > 1:
            matrices.strides[axis] = view.strides[own] // 4
            fits = fits and view.strides[own] % 4 == 0
    PyBuffer_Release(&view)
    return fits


cdef class Work:
    """Products of matrices, whose parts threads compute."""

    cdef Products whole
    cdef Matrices left, right, result
    cdef Py_ssize_t axes
    cdef Py_ssize_t[MOST_AXES] sizes

    cdef bint set(self, left, right, result) except -1:
        """Set matrices and sizes; return whether the kernel can read the matrices."""
        cdef Products* p = &self.whole
        cdef tuple batch = result.shape[:-2]
        cdef Py_ssize_t axis
        cdef bint fits
        self.axes = len(batch)
        for axis in range(self.axes):
            self.sizes[axis] = batch[axis]
        fits = read(left, batch, &self.left) and read(right, batch, &self.right)
        fits = read(result, batch, &self.result) and fits and not self.result.turned
        p.count, p.inner = 1, left.shape[-1]
        p.rows, p.columns = result.shape[-2:]
        p.left_apart, p.left_turned = self.left.apart, self.left.turned
        p.right_apart, p.right_turned = self.right.apart, self.right.turned
        p.result_apart = self.result.apart
        return fits

    def multiply(self, Py_ssize_t first, Py_ssize_t last):
        """Write rows [first, last) of the result, counted over all matrices."""
        cdef Products p = self.whole
        cdef float[::1] rows = rows_of(p.inner, p.rows if p.left_turned else 0)
        cdef float[::1] columns = columns_of(p.inner)
        cdef const float* left
        cdef const float* right
        cdef Py_ssize_t top, end, rest, place, axis
        p.lefts, p.rights = &left, &right
        with nogil:
            while first < last:
                left, right = self.left.first, self.right.first
                p.result = self.result.first
                rest = first // p.rows
                for axis in range(self.axes - 1, -1, -1):
                    place = rest % self.sizes[axis]
                    rest //= self.sizes[axis]
                    left += place * self.left.strides[axis]
                    right += place * self.right.strides[axis]
                    p.result += place * self.result.strides[axis]
                top = first % p.rows
                end = min(p.rows, top + last - first)
                tpuref_multiply(&p, top, end, &rows[0], &columns[0])
                first += end - top


def multiply(left, right, out=None):
    """Return the product of matrices, batched over the axes before the last two."""
    cdef Work work = Work()
    if (
        not tpuref_multiplies()
        or not left.dtype == right.dtype == np.float32
        or min(left.ndim, right.ndim) < 2
        or max(left.ndim, right.ndim) > MOST_AXES
        or left.shape[-1] != right.shape[-2]
        or min(left.shape[-2], right.shape[-1]) < _LEAST
        or right.shape[-1] >= _WIDE and left.shape[-1] <= _LONG
        or left.shape[-2] * left.shape[-1] * right.shape[-1] < least_work(right)
    ):
        return np.matmul(left, right, out=out)
    batch = ()
    if left.ndim > 2 or right.ndim > 2:
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = *batch, left.shape[-2], right.shape[-1]
    result = out
    if out is None or np.may_share_memory(out, left) or np.may_share_memory(out, right):
        result = np.empty(shape, np.float32)
    fits = (result.shape, result.dtype) == (shape, np.float32)
    if not fits or not work.set(left, right, result):
        return np.matmul(left, right, out=out)
    in_parts(work.multiply, result.size // shape[-1], result.size * work.whole.inner)
    if out is not None and result is not out:
        out[...] = result
        return out
    return result


cdef Py_ssize_t least_work(right):
    """Return the least multiplications of a product with a right matrix."""
    cdef bint turned = right.strides[-2] == 4 and right.shape[-1] % TPUREF_OUTPUTS == 0
    return _LEAST_WORK_TURNED if turned else _LEAST_WORK


def tiles(Py_ssize_t rows, Py_ssize_t parts):
    """Return the number of tiles of the rows of a sum, a multiple of `parts`."""
    return (rows - 1) // (parts * tpuref_sums().height) * parts + parts


def copied_size(
    Py_ssize_t inner, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t tiles
):
    """Return the number of floats of a copy of the factors of a product."""
    size = inner * (rows + columns) + TPUREF_OUTPUTS * tiles
    return -(-size // TPUREF_OUTPUTS) * TPUREF_OUTPUTS


def copy_factors(lefts, rights, Py_ssize_t tiles, float[:, ::1] copies):
    """Copy the factors of each product in the order in which `add_up` reads them."""
    cdef const float[:, ::1] x, y
    cdef const float* left
    cdef const float* right
    cdef Products p
    cdef Py_ssize_t k
    p.lefts, p.rights = &left, &right
    for k in range(copies.shape[0]):
        x, y = np.ascontiguousarray(lefts[k]), np.ascontiguousarray(rights[k])
        left, right, p.inner = &x[0, 0], &y[0, 0], x.shape[0]
        p.rows = p.left_apart = x.shape[1]
        p.columns = p.right_apart = y.shape[1]
        with nogil:
            tpuref_sums().copy(&p, tiles, &copies[k, 0])


def add_up(
    copies,
    Py_ssize_t inner,
    Py_ssize_t tiles,
    Py_ssize_t first,
    Py_ssize_t last,
    float[:, ::1] result,
):
    """Write tiles [first, last) of the sum of the copied products to `result`."""
    cdef const uintptr_t[::1] rights = addresses_of(copies)
    cdef uintptr_t[::1] lefts = np.add(rights, inner * result.shape[1] * sizeof(float))
    cdef Products p
    p.lefts = <const float* const*>&lefts[0]
    p.rights = <const float* const*>&rights[0]
    p.count, p.inner, p.rows = rights.shape[0], inner, result.shape[0]
    p.columns = p.result_apart = result.shape[1]
    p.result = &result[0, 0]
    with nogil:
        tpuref_sums().add_up(&p, tiles, first, last)


cdef rows_of(Py_ssize_t inner, Py_ssize_t count):
    """Return memory for rows of left matrices."""
    return np.empty((inner + TPUREF_OUTPUTS) * count + TPUREF_OUTPUTS, np.float32)


cdef columns_of(Py_ssize_t inner):
    """Return memory for a group of columns."""
    return np.empty(TPUREF_GROUP + inner * 2 * TPUREF_OUTPUTS, np.float32)


cdef addresses_of(copies):
    """Return the addresses of the first elements."""
    cdef uintptr_t[::1] addresses = np.empty(len(copies), np.uintp)
    cdef const float[::1] copy
    for k, copy in enumerate(copies):
        addresses[k] = <uintptr_t>&copy[0]
    return np.asarray(addresses)
