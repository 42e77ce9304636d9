# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Sums along an axis and at rows, in one pass over memory.

The twin of `tpuref.kernels.python.sums`, which documents arguments and order.
"""

from cython cimport floating
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "sums.h":
    void tpuref_float_middle(
        const float*, Py_ssize_t, Py_ssize_t, Py_ssize_t, float*
    ) noexcept nogil
    void tpuref_double_middle(
        const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double*
    ) noexcept nogil
    void tpuref_float_at_rows(
        float*, const int64_t*, const float*, Py_ssize_t, Py_ssize_t
    ) noexcept nogil
    void tpuref_double_at_rows(
        double*, const int64_t*, const double*, Py_ssize_t, Py_ssize_t
    ) noexcept nogil


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
    with nogil:
        if floating is float:
            tpuref_float_middle(
                &values[0, 0, 0], before, count, values.shape[2], &result[0, 0]
            )
        else:
            tpuref_double_middle(
                &values[0, 0, 0], before, count, values.shape[2], &result[0, 0]
            )


def at_rows(total, rows, updates):
    """Add the updates to rows of `total`, in their order."""
    if updates.size and updates.dtype == np.float32:
        _at_rows[float](total, rows, updates)
    elif updates.size:
        _at_rows[double](total, rows, updates)


cdef _at_rows(
    floating[:, ::1] total, const int64_t[::1] rows, const floating[:, ::1] updates
):
    cdef Py_ssize_t count = updates.shape[0], width = updates.shape[1]
    with nogil:
        if floating is float:
            tpuref_float_at_rows(&total[0, 0], &rows[0], &updates[0, 0], count, width)
        else:
            tpuref_double_at_rows(&total[0, 0], &rows[0], &updates[0, 0], count, width)
