"""Activation functions."""

from typing import Any

import numpy as np

from tpuref.base.dtypes import float32
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer, static_number
from tpuref.interface.functions.joining import concat


def relu(features: Any, name: str | None = None) -> Tensor:
    """Return ``max(features, 0)``; the result has the same shape and dtype.

    The features are real numbers.

    Examples
    --------
    >>> tf.Session().run(tf.nn.relu([-2.0, 3.0])).tolist()
    [0.0, 3.0]
    """
    return apply_one("Relu", features, name=name)


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Return ``min(max(features, 0), 6)``; see `relu`."""
    return apply_one("Relu6", features, name=name)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Return the features multiplied by the normal probability of smaller numbers.

    `features` is a floating-point tensor.  `approximate` says whether to compute the
    probability by the hyperbolic tangent.

    Examples
    --------
    >>> tf.Session().run(tf.nn.gelu([0.0, 1.0])).round(4).tolist()
    [0.0, 0.8413000106811523]
    """
    x = convert_to_tensor(features)
    half = convert_to_tensor(0.5, x.dtype)
    if approximate:
        cubic = x + convert_to_tensor(0.044715, x.dtype) * apply("Pow", x, 3)
        scale = convert_to_tensor(np.sqrt(2 / np.pi).item(), x.dtype)
        return apply_one("Mul", half * x, 1 + apply("Tanh", scale * cubic), name=name)
    scaled = x / convert_to_tensor(np.sqrt(2).item(), x.dtype)
    return apply_one("Mul", half * x, 1 + apply("Erf", scaled), name=name)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the sigmoid of each element.

    Examples
    --------
    >>> tf.Session().run(tf.math.log_sigmoid([0.0])).round(4).tolist()
    [-0.6930999755859375]
    """
    return apply_one("Neg", softplus(-convert_to_tensor(x)), name=name)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Return the features, with negative ones multiplied by `alpha`.

    The result is a floating-point tensor of the same shape.  `features` is a
    floating-point tensor; integers are cast to float32.  `alpha` is the slope for
    negative features.

    Examples
    --------
    >>> tf.Session().run(tf.nn.leaky_relu([-2.0, 3.0], alpha=0.5)).tolist()
    [-1.0, 3.0]
    """
    value = convert_to_tensor(features)
    if value.dtype.is_integer:
        value = apply("Cast", value, dtype=float32.name)
    slope = float(np.float32(static_number(alpha, "tf.nn.leaky_relu: alpha")))
    return apply_one("LeakyRelu", value, alpha=slope, name=name)


def elu(features: Any, name: str | None = None) -> Tensor:
    """Return the features, negative ones as ``exp(x) - 1``; see `relu`."""
    return apply_one("Elu", features, name=name)


def selu(features: Any, name: str | None = None) -> Tensor:
    """Return the scaled exponential linear unit (Klambauer et al., 2017); see `elu`."""
    return apply_one("Selu", features, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 / (1 + exp(-x))``; see `elu`."""
    return apply_one("Sigmoid", x, name=name)


def swish(features: Any) -> Tensor:
    """Return ``features * sigmoid(features)``; see `elu`."""
    return swish_v2(features)


silu = swish


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """Return `relu` of the features and of their negatives, joined along an axis.

    The result has the same dtype.  `features` is a tensor of real numbers; `axis`
    becomes twice as long.

    Examples
    --------
    >>> tf.Session().run(tf.nn.crelu([-2.0, 3.0])).tolist()
    [0.0, 3.0, 2.0, 0.0]
    """
    value = convert_to_tensor(features)
    return relu(concat([value, -value], axis), name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Return ``log(1 + exp(features))``; see `elu`."""
    return apply_one("Softplus", features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Return ``features / (1 + abs(features))``; see `elu`."""
    return apply_one("Softsign", features, name=name)


def softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return ``exp(logits)`` divided by its sum along an axis.

    The result is a tensor of the same shape and dtype, which sums to 1 along the axis.
    `logits` is a floating-point tensor of rank 1 or more.  `axis` is the axis of the
    classes, by default the last.  `dim` is the former name of `axis`.  It raises
    ValueError if the axis does not exist.

    Examples
    --------
    >>> tf.Session().run(tf.nn.softmax([5.0, 5.0])).tolist()
    [0.5, 0.5]
    """
    along = class_axis("tf.nn.softmax", axis, dim)
    return apply_one("Softmax", logits, axis=along, name=name)


def log_softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return the logarithm of `softmax`, more exactly than ``log(softmax(x))``."""
    along = class_axis("tf.nn.log_softmax", axis, dim)
    return apply_one("LogSoftmax", logits, axis=along, name=name)


def class_axis(function: str, axis: Any, dim: Any) -> int:
    """Return the axis of the classes, which has two names; the last by default."""
    if axis is not None and dim is not None:
        raise ValueError(f"{function}: give only one of axis and dim")
    chosen = dim if axis is None else axis
    return -1 if chosen is None else static_integer(chosen, f"{function}: axis")


def softmax_v2(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Return `softmax`, with the parameters of TensorFlow 2."""
    return softmax(logits, axis, name)


def log_softmax_v2(
    logits: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Return `log_softmax`, with the parameters of TensorFlow 2."""
    return log_softmax(logits, axis, name)


def crelu_v2(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Return `crelu`, with the parameters of TensorFlow 2."""
    return crelu(features, name, axis)


def swish_v2(features: Any, beta: Any = 1.0) -> Tensor:
    """Return ``features * sigmoid(beta * features)``.

    Examples
    --------
    >>> float(tf.Session().run(swish_v2(2.0, beta=1000.0)))
    2.0
    """
    value = convert_to_tensor(features)
    one = isinstance(beta, float) and beta == 1.0
    scaled = value if one else value * convert_to_tensor(beta, value.dtype)
    return apply_one("Mul", value, sigmoid(scaled), name="swish")


silu_v2 = swish_v2
