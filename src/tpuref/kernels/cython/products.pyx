# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: embedsignature=True
"""Sums of products of matrices, in one pass.

The twin of `tpuref.kernels.python.products`, which documents the arguments.
"""

from libc.stdint cimport uintptr_t

import numpy as np

cdef extern from "products.h":
    enum:
        TPUREF_OUTPUTS, TPUREF_TILE
    ctypedef struct Products "tpuref_products":
        const float* const* lefts
        const float* const* rights
        Py_ssize_t count, inner, rows, columns
        float* result
    void tpuref_sum_of_products(
        const Products*, Py_ssize_t, Py_ssize_t, float*, float*
    ) noexcept nogil


def add_up(lefts, rights, Py_ssize_t first, Py_ssize_t last, float[:, ::1] result):
    """Write rows [first, last) of the sum of the products to `result`."""
    cdef Products whole
    cdef const uintptr_t[::1] left = addresses_of(lefts), right = addresses_of(rights)
    cdef Py_ssize_t inner = len(lefts[0]) * left.shape[0]
    cdef float[::1] rows = np.zeros(inner * (last - first + TPUREF_TILE), np.float32)
    cdef float[::1] columns = np.empty(inner * 2 * TPUREF_OUTPUTS, np.float32)
    whole.lefts = <const float* const*>&left[0]
    whole.rights = <const float* const*>&right[0]
    whole.count, whole.inner = left.shape[0], len(lefts[0])
    whole.rows, whole.columns = result.shape[0], result.shape[1]
    whole.result = &result[0, 0]
    with nogil:
        tpuref_sum_of_products(&whole, first, last, &rows[0], &columns[0])


cdef addresses_of(matrices):
    """Return the addresses of the first elements."""
    cdef uintptr_t[::1] addresses = np.empty(len(matrices), np.uintp)
    cdef const float[:, ::1] matrix
    for k, matrix in enumerate(matrices):
        addresses[k] = <uintptr_t>&matrix[0, 0]
    return addresses
