"""Gradients of activations."""

import numpy as np

from tpuref.kernels.python.convolution import Array


def relu_gradient(gradient: Array, features: Array, result: Array) -> None:
    """Write `gradient` where `features` are positive, times 0 elsewhere.

    `result` may be `gradient` or `features`.
    """
    positive = np.greater(features, 0).astype(gradient.dtype)
    np.multiply(gradient, positive, out=result)
