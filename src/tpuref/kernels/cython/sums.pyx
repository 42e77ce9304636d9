# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Sums along an axis and at rows, and the greatest of rows, in one pass over memory.

The twin of `tpuref.kernels.python.sums`, which documents arguments and order.
"""

from cython cimport floating
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "sums.h":
    ctypedef Py_ssize_t Size "ptrdiff_t"
    void tpuref_float_middle(const float*, Size, Size, Size, float*) noexcept nogil
    void tpuref_double_middle(const double*, Size, Size, Size, double*) noexcept nogil
    void tpuref_float_greatest(const float*, Size, Size, float*) noexcept nogil
    void tpuref_double_greatest(const double*, Size, Size, double*) noexcept nogil


def along_middle(values, result):
    """Write the sums over the middle axis to `result`."""
    if not values.size:
        result[...] = 0
    elif values.dtype == np.float32:
        _along_middle[float](values, result)
    else:
        _along_middle[double](values, result)


cdef _along_middle(const floating[:, :, ::1] values, floating[:, ::1] result):
    cdef Py_ssize_t before = values.shape[0], count = values.shape[1]
    cdef Py_ssize_t row = values.shape[2]
    with nogil:
        if floating is float:
            tpuref_float_middle(&values[0, 0, 0], before, count, row, &result[0, 0])
        else:
            tpuref_double_middle(&values[0, 0, 0], before, count, row, &result[0, 0])


def greatest_of_rows(values, result):
    """Write the greatest element of each row to `result`; NaN is the greatest."""
    if not values.size:
        result[...] = -np.inf
    elif values.dtype == np.float32:
        _greatest_of_rows[float](values, result)
    else:
        _greatest_of_rows[double](values, result)


cdef _greatest_of_rows(const floating[:, ::1] values, floating[::1] result):
    cdef Py_ssize_t rows = values.shape[0], count = values.shape[1]
    with nogil:
        if floating is float:
            tpuref_float_greatest(&values[0, 0], rows, count, &result[0])
        else:
            tpuref_double_greatest(&values[0, 0], rows, count, &result[0])


def at_rows(total, rows, updates):
    """Add the updates to rows of `total`, in their order."""
    if updates.dtype == np.float32:
        _at_rows[float](total, rows, updates)
    else:
        _at_rows[double](total, rows, updates)


cdef _at_rows(
    floating[:, ::1] total, const int64_t[::1] rows, const floating[:, ::1] updates
):
    cdef Py_ssize_t k, i, row
    with nogil:
        for k in range(updates.shape[0]):
            row = rows[k]
            for i in range(updates.shape[1]):
                total[row, i] += updates[k, i]
