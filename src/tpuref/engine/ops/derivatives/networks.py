"""Gradients of neural network operations."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tpuref.engine.ops.derivatives.rule import (
    Applied,
    Apply,
    Rule,
    Tensor,
    added_at,
    chosen,
    not_differentiable,
    of_dtype,
    rank_of,
    shape_of,
    sum_to,
    unary,
    where,
)

# -- activations -------------------------------------------------------------------
#
# At a kink the derivative is the left one, except for Elu and Selu.


def _relu(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    x = op.inputs[0]
    return dy * of_dtype(apply, x > 0, x)


def _relu6(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    x = op.inputs[0]
    return dy * of_dtype(apply, apply("LogicalAnd", x > 0, x < 6), x)


def _leaky_relu(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return chosen(apply, op.inputs[0] > 0, dy, op.attrs["alpha"] * dy)


def _elu(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    y = op.outputs[0]
    return chosen(apply, y < 0, dy * (y + 1), dy)


_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_PRODUCT = _SELU_SCALE * 1.6732632423543772848170429916717


def _selu(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    y = op.outputs[0]
    return chosen(apply, y < 0, dy * (y + _SELU_PRODUCT), _SELU_SCALE * dy)


def _softmax(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    y = op.outputs[0]
    return (dy - apply("Sum", dy * y, axis=op.attrs["axis"], keepdims=True)) * y


def _log_softmax(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    total = apply("Sum", dy, axis=op.attrs["axis"], keepdims=True)
    return dy - apply("Exp", op.outputs[0]) * total


# -- losses ------------------------------------------------------------------------


def _cross_entropy(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Differentiate as if the labels summed to 1, as TensorFlow does."""
    logits, labels = op.inputs
    axis = op.attrs["axis"]
    if axis >= 0:
        axis -= max(rank_of(op, logits), rank_of(op, labels))
    dy = apply("ExpandDims", dy, axis=axis)

    def of_logits() -> Tensor:
        found = dy * (apply("Softmax", logits, axis=axis) - labels)
        return sum_to(apply, found, logits)

    def of_labels() -> Tensor:
        return sum_to(apply, -dy * apply("LogSoftmax", logits, axis=axis), labels)

    return of_logits, of_labels


def _sparse_cross_entropy(apply: Apply, op: Applied, dy: Tensor) -> Any:
    logits, labels = op.inputs
    classes = shape_of(apply, logits)[-1]
    one, zero = (np.asarray(n, logits.dtype.np) for n in (1, 0))
    chosen_class = apply("OneHot", labels, classes, one, zero, axis=-1)
    shares = apply("Softmax", logits, axis=-1)
    return apply("ExpandDims", dy, axis=-1) * (shares - chosen_class), None


def _sigmoid_cross_entropy(apply: Apply, op: Applied, dy: Tensor) -> Any:
    logits, labels = op.inputs
    return (
        lambda: sum_to(apply, dy * (apply("Sigmoid", logits) - labels), logits),
        lambda: sum_to(apply, -dy * logits, labels),
    )


# -- normalization and bias --------------------------------------------------------


def _l2_normalize(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Differentiate; below epsilon the scale is a constant."""
    x = op.inputs[0]
    total = partial(apply, "Sum", axis=op.attrs["axes"], keepdims=True)
    square = total(x * x)
    epsilon = np.asarray(op.attrs["epsilon"], x.dtype.np)
    scale = apply("Rsqrt", apply("Maximum", square, epsilon))
    turn = x * scale * scale * scale * total(dy * x)
    return dy * scale - where(apply, square >= epsilon, turn)


def _bias_add(apply: Apply, op: Applied, dy: Tensor) -> Any:
    if op.attrs["data_format"] != "NCHW":
        return dy, lambda: sum_to(apply, dy, op.inputs[1])
    rank, channels = rank_of(op, dy), 1
    others = tuple(axis for axis in range(rank) if axis != channels)
    return dy, lambda: apply("Sum", dy, axis=others, keepdims=False)


# -- windows over images -----------------------------------------------------------


def _convolution(name: str) -> dict[str, Rule]:
    """Return the rules of a convolution and of its two gradients."""
    to_images, to_filters = f"{name}BackpropInput", f"{name}BackpropFilter"

    def forward(apply: Apply, op: Applied, dy: Tensor) -> Any:
        images, filters = op.inputs
        return (
            lambda: apply(to_images, shape_of(apply, images), filters, dy, **op.attrs),
            lambda: apply(to_filters, images, shape_of(apply, filters), dy, **op.attrs),
        )

    def of_images(apply: Apply, op: Applied, dy: Tensor) -> Any:
        _, filters, backprop = op.inputs
        sizes = partial(shape_of, apply, filters)
        return (
            None,
            lambda: apply(to_filters, dy, sizes(), backprop, **op.attrs),
            lambda: apply(name, dy, filters, **op.attrs),
        )

    def of_filters(apply: Apply, op: Applied, dy: Tensor) -> Any:
        images, _, backprop = op.inputs
        sizes = partial(shape_of, apply, images)
        return (
            lambda: apply(to_images, sizes(), dy, backprop, **op.attrs),
            None,
            lambda: apply(name, images, dy, **op.attrs),
        )

    return {name: forward, to_images: of_images, to_filters: of_filters}


def _max_pool(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Pass the gradient of a window to its first maximum."""
    images = op.inputs[0]
    places = apply("MaxPoolPositions", images, **op.attrs)
    return added_at(apply, dy, places, images)


def _avg_pool(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return apply("AvgPoolGrad", shape_of(apply, op.inputs[0]), dy, **op.attrs)


def _avg_pool_back(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return None, apply("AvgPool", dy, **op.attrs)


RULES: dict[str, Rule] = {
    "Relu": _relu,
    "Relu6": _relu6,
    "LeakyRelu": _leaky_relu,
    "Elu": _elu,
    "Selu": _selu,
    "Sigmoid": unary(lambda apply, x, y: y * (1 - y)),
    "Softplus": unary(lambda apply, x, y: apply("Sigmoid", x)),
    "Softsign": unary(
        lambda apply, x, y: apply("Reciprocal", apply("Square", 1 + apply("Abs", x)))
    ),
    "Softmax": _softmax,
    "LogSoftmax": _log_softmax,
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "SigmoidCrossEntropyWithLogits": _sigmoid_cross_entropy,
    "L2Loss": lambda apply, op, dy: dy * op.inputs[0],
    "L2Normalize": _l2_normalize,
    "BiasAdd": _bias_add,
    **_convolution("Conv2D"),
    **_convolution("DepthwiseConv2dNative"),
    "MaxPool": _max_pool,
    "MaxPoolPositions": not_differentiable,
    "AvgPool": _avg_pool,
    "AvgPoolGrad": _avg_pool_back,
}
