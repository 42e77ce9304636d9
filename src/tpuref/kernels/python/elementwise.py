"""Elementwise operations: chains of them, and some that NumPy lacks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.kernels.python.convolution import Array

OPERATIONS: Mapping[str, int] = {}
"""The number of inputs of the operations that gain by a chain: in NumPy none does."""

MOST_STEPS = 1
"""The greatest number of steps of a chain."""


def add(x: Array, y: Array, result: Array) -> None:
    """Write the sum of arrays that broadcast; `result` may be `x`."""
    np.add(x, y, out=result)


def subtract(x: Array, y: Array, result: Array) -> None:
    """Write the difference of arrays that broadcast; `result` may be `x`."""
    np.subtract(x, y, out=result)


def divide(x: Array, y: Array, result: Array) -> None:
    """Write the quotient of arrays that broadcast; `result` may be `x`."""
    np.divide(x, y, out=result)


def relu(features: Array, result: Array) -> None:
    """Write the maximum of `features` and 0; `result` may be `features`."""
    np.maximum(features, features.dtype.type(0), out=result)


def relu_gradient(gradient: Array, features: Array, result: Array) -> None:
    """Write `gradient` where `features` are positive, times 0 elsewhere.

    `result` may be `gradient` or `features`.
    """
    positive = np.greater(features, 0).astype(gradient.dtype)
    np.multiply(gradient, positive, out=result)


def cube(x: Array, result: Array) -> None:
    """Write the third power of float32, rounded once; `result` may be `x`."""
    wide = x.astype(np.float64)
    result[...] = wide * wide * wide


class Chain:
    """Operations that run together, on float32 arrays that broadcast to one shape.

    Each step is the name of an operation and the places of its inputs, and of its
    output, among the arguments of a call.  Arguments at `inner` places need not be
    written; an output may be an input of the same shape.

    Examples
    --------
    >>> chain = Chain([("square", (0, 2)), ("add", (2, 1, 2))])
    >>> result = np.empty(2, np.float32)
    >>> chain(np.float32([3, 4]), np.float32([1, 2]), result)
    >>> print(result)
    [10. 18.]
    """

    def __init__(
        self, steps: Sequence[tuple[str, Sequence[int]]], inner: Collection[int] = ()
    ) -> None:
        self._steps = [
            (_FUNCTIONS.get(name) or getattr(np, name), p) for name, p in steps
        ]

    def __call__(self, *arrays: Array) -> None:
        """Write the outputs of the steps."""
        for function, places in self._steps:
            function(*[arrays[place] for place in places])


def _squared_difference(x: Array, y: Array, result: Array) -> None:
    np.square(np.subtract(x, y), out=result)


def _rsqrt(x: Array, result: Array) -> None:
    np.reciprocal(np.sqrt(x), out=result)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cube": cube,
    "relu": relu,
    "relu_gradient": relu_gradient,
    "rsqrt": _rsqrt,
    "squared_difference": _squared_difference,
}
