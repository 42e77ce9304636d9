# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Gradients of activations, in one pass over memory.

The twin of `tpuref.kernels.python.activations`, which documents the arguments, and
computes what is not contiguous or not float32.
"""

import numpy as np

from tpuref.kernels.python import activations as by_numpy


cdef extern from *:
    """
    enum { TPUREF_LANES = 4 };
    typedef float tpuref_values
        __attribute__((vector_size(4 * TPUREF_LANES), aligned(4), may_alias));
    typedef int32_t tpuref_mask __attribute__((vector_size(4 * TPUREF_LANES)));

    /* GCC makes a branch of the comparison if it is not written with vectors. */
    static void tpuref_relu_gradient(
        const float *gradient, const float *features, float *result, Py_ssize_t size)
    {
        Py_ssize_t k;
        tpuref_values one = 1 - (tpuref_values){0};
        for (k = 0; k + TPUREF_LANES <= size; k += TPUREF_LANES) {
            tpuref_mask positive = *(const tpuref_values *)(features + k) > 0;
            tpuref_values factor = (tpuref_values)(positive & (tpuref_mask)one);
            *(tpuref_values *)(result + k)
                = *(const tpuref_values *)(gradient + k) * factor;
        }
        for (; k < size; k++)
            result[k] = gradient[k] * (features[k] > 0);
    }
    """
    void tpuref_relu_gradient(
        const float*, const float*, float*, Py_ssize_t
    ) noexcept nogil


def relu_gradient(gradient, features, result):
    """Write `gradient` where `features` are positive, times 0 elsewhere."""
    cdef const float[::1] slopes, values
    cdef float[::1] products
    for array in (gradient, features, result):
        if array.dtype != np.float32 or not array.flags.c_contiguous:
            by_numpy.relu_gradient(gradient, features, result)
            return
    slopes, values = gradient.reshape(-1), features.reshape(-1)
    products = result.reshape(-1)
    if products.shape[0]:
        with nogil:
            tpuref_relu_gradient(
                &slopes[0], &values[0], &products[0], products.shape[0]
            )
