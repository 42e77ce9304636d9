# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Elementwise operations, in one pass over memory.

The twin of `tpuref.kernels.python.elementwise`, which documents the arguments, and
computes what is not contiguous or not float32.
"""

from cpython.buffer cimport (
    PyBUF_STRIDES,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdlib cimport free, malloc

from collections import Counter

import numpy as np

from tpuref.kernels.python import elementwise as by_numpy

cdef extern from "elementwise.h":
    enum:
        AXES "TPUREF_AXES"
        LONGEST "TPUREF_LONGEST"
        OPERANDS "TPUREF_OPERANDS"
        ROOM "TPUREF_ROOM"
    ctypedef struct Operand "tpuref_operand":
        float* data
        Py_ssize_t[AXES] strides
    ctypedef struct Operation "tpuref_operation":
        int code, left, right, output
    ctypedef struct Operations "tpuref_chain":
        const Operation* operations
        Operand[OPERANDS] operands
        Py_ssize_t[AXES] sizes
        Py_ssize_t num_operations, num_operands, num_axes
        float* scratch
    void tpuref_run_chain(const Operations*) noexcept nogil

# In the order of elementwise.h
OPERATIONS = {
    "add": 2,
    "subtract": 2,
    "multiply": 2,
    "divide": 2,
    "squared_difference": 2,
    "relu_gradient": 2,
    "negative": 1,
    "square": 1,
    "cube": 1,
    "sqrt": 1,
    "reciprocal": 1,
    "rsqrt": 1,
    "relu": 1,
}
MOST_STEPS = LONGEST
cdef size_t VECTOR = 64
FLOAT32 = np.dtype(np.float32)


cdef class Chain:
    """Operations that run together; see the twin."""

    cdef Operation[LONGEST] operations
    cdef Py_ssize_t num_operations, num_operands
    cdef bint[OPERANDS] inner
    cdef object other

    def __init__(self, steps, inner=()):
        cdef Py_ssize_t number, operand
        names = [*OPERATIONS]
        self.other = by_numpy.Chain(steps, inner)
        self.num_operations = len(steps)
        self.num_operands = 1 + max(max(places) for _, places in steps)
        if len(steps) > LONGEST or self.num_operands > OPERANDS:
            raise ValueError(f"a chain has at most {LONGEST} operations")
        reads = Counter(place for _, (*inputs, _) in steps for place in inputs)
        before = -1  # a result stays in registers if only the next operation reads it
        for number, (name, (left, *others, output)) in enumerate(steps):
            right = others[0] if others else left
            if before == right and name in ("add", "multiply"):
                left, right = right, left
            if before == left:
                left = -1
                if before in inner and reads[before] == 1:
                    self.operations[number - 1].output = -1
            self.operations[number] = Operation(
                names.index(name), left, right, output
            )
            before = output
        for operand in range(OPERANDS):
            self.inner[operand] = operand in inner

    def __call__(self, *arrays):
        cdef Operations chain
        cdef Py_buffer[OPERANDS] buffers
        cdef Py_ssize_t held = 0
        cdef void* scratch
        chain.operations, chain.num_operations = self.operations, self.num_operations
        chain.num_operands = self.num_operands
        if len(arrays) != self.num_operands:
            raise TypeError(f"expected {self.num_operands} arrays, got {len(arrays)}")
        for array in arrays:
            if array.dtype is not FLOAT32:
                self.other(*arrays)
                return
        try:
            for array in arrays:
                PyObject_GetBuffer(array, &buffers[held], PyBUF_STRIDES)
                held += 1
            fits = arrange(&chain, buffers, self.inner)
            if fits:
                scratch = malloc(4 * ROOM * chain.num_operands + VECTOR)
                if scratch == NULL:
                    raise MemoryError
                chain.scratch = <float*>(<size_t>scratch + VECTOR & -VECTOR)
                with nogil:
                    tpuref_run_chain(&chain)
                free(scratch)
        finally:
            while held:
                held -= 1
                PyBuffer_Release(&buffers[held])
        if not fits:
            self.other(*arrays)


cdef bint arrange(
    Operations* chain, const Py_buffer* buffers, const bint* inner
) noexcept:
    # Set the memory of the operands, and the axes, as few as possible and at least two.
    # Return whether the kernel takes them.
    cdef int output = chain.operations[chain.num_operations - 1].output
    cdef const Py_buffer* whole = &buffers[output]
    cdef Py_ssize_t axis, size, n, last = 0, count = chain.num_operands
    cdef Py_ssize_t[OPERANDS] strides
    cdef bint merges
    chain.sizes[0] = 1
    for n in range(count):
        chain.operands[n].data = NULL if inner[n] else <float*>buffers[n].buf
        chain.operands[n].strides[0] = 0
    for axis in range(whole.ndim):
        size = whole.shape[axis]
        if size == 1:
            continue
        merges = last > 0
        for n in range(count):
            strides[n] = stride(&buffers[n], whole.ndim - axis, size)
            if strides[n] < 0:
                return False
            merges &= chain.operands[n].strides[last] == strides[n] * size
        if not merges:
            last += 1
            if last == AXES:
                return False
            chain.sizes[last] = 1
        chain.sizes[last] *= size
        for n in range(count):
            chain.operands[n].strides[last] = strides[n]
    if last == 0:
        last = chain.sizes[1] = 1
        for n in range(count):
            chain.operands[n].strides[1] = 1
    for n in range(count):
        if chain.operands[n].strides[last] > 1:
            return False
    chain.num_axes = last + 1
    return True


cdef Py_ssize_t stride(
    const Py_buffer* buffer, Py_ssize_t place, Py_ssize_t size
) noexcept:
    # Return the distance in elements along an axis, counted from the last, 0 if it is
    # repeated and -1 if the sizes differ.
    cdef Py_ssize_t axis = buffer.ndim - place
    if axis < 0 or buffer.shape[axis] == 1:
        return 0
    if buffer.shape[axis] != size or buffer.strides[axis] % 4:
        return -1
    return buffer.strides[axis] // 4


add = Chain([("add", (0, 1, 2))])
divide = Chain([("divide", (0, 1, 2))])
relu = Chain([("relu", (0, 1))])
relu_gradient = Chain([("relu_gradient", (0, 1, 2))])
cube = Chain([("cube", (0, 1))])
subtract = Chain([("subtract", (0, 1, 2))])
