"""Gradients of neural network operations."""

from functools import partial
from typing import Any

import numpy as np

from tpuref.engine.ops.derivatives import rule

# -- activations -------------------------------------------------------------------
#
# At a kink the derivative is the left one, except for Elu and Selu.


def _relu(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return apply("ReluGrad", dy, op.outputs[0])


def _relu_gradient(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return apply("ReluGrad", dy, op.inputs[1]), None


def _relu6(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    x = op.inputs[0]
    return dy * rule.of_dtype(apply, apply("LogicalAnd", x > 0, x < 6), x)


def _leaky_relu(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return rule.chosen(apply, op.inputs[0] > 0, dy, op.attrs["alpha"] * dy)


def _elu(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    y = op.outputs[0]
    return rule.chosen(apply, y < 0, dy * (y + 1), dy)


_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_PRODUCT = _SELU_SCALE * 1.6732632423543772848170429916717


def _selu(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    y = op.outputs[0]
    return rule.chosen(apply, y < 0, dy * (y + _SELU_PRODUCT), _SELU_SCALE * dy)


def _softmax(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    y = op.outputs[0]
    return (dy - apply("Sum", dy * y, axis=op.attrs["axis"], keepdims=True)) * y


def _log_softmax(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    total = apply("Sum", dy, axis=op.attrs["axis"], keepdims=True)
    return dy - apply("Exp", op.outputs[0]) * total


# -- losses ------------------------------------------------------------------------


def _cross_entropy(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Differentiate as if the labels summed to 1, as TensorFlow does."""
    logits, labels = op.inputs
    axis = op.attrs["axis"]
    if axis >= 0:
        axis -= max(rule.rank_of(op, logits), rule.rank_of(op, labels))
    dy = apply("ExpandDims", dy, axis=axis)

    def of_logits() -> rule.Tensor:
        gradient = dy * (apply("Softmax", logits, axis=axis) - labels)
        return rule.sum_to(apply, gradient, logits)

    def of_labels() -> rule.Tensor:
        return rule.sum_to(apply, -dy * apply("LogSoftmax", logits, axis=axis), labels)

    return of_logits, of_labels


def _sparse_cross_entropy(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    logits, labels = op.inputs
    classes = rule.shape_of(apply, logits)[-1]
    one, zero = (np.asarray(n, logits.dtype.np) for n in (1, 0))
    chosen_class = apply("OneHot", labels, classes, one, zero, axis=-1)
    shares = apply("Softmax", logits, axis=-1)
    return apply("ExpandDims", dy, axis=-1) * (shares - chosen_class), None


def _sigmoid_cross_entropy(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    logits, labels = op.inputs
    return (
        lambda: rule.sum_to(apply, dy * (apply("Sigmoid", logits) - labels), logits),
        lambda: rule.sum_to(apply, -dy * logits, labels),
    )


# -- normalization and bias --------------------------------------------------------


def _l2_normalize(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Differentiate; below epsilon the scale is a constant."""
    x = op.inputs[0]
    total = partial(apply, "Sum", axis=op.attrs["axes"], keepdims=True)
    square = total(x * x)
    epsilon = np.asarray(op.attrs["epsilon"], x.dtype.np)
    scale = apply("Rsqrt", apply("Maximum", square, epsilon))
    turn = x * scale * scale * scale * total(dy * x)
    return dy * scale - rule.where(apply, square >= epsilon, turn)


def _bias_add(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    if op.attrs["data_format"] != "NCHW":
        return dy, lambda: rule.sum_to(apply, dy, op.inputs[1])
    rank, channels = rule.rank_of(op, dy), 1
    others = tuple(axis for axis in range(rank) if axis != channels)
    return dy, lambda: apply("Sum", dy, axis=others, keepdims=False)


# -- windows over images -----------------------------------------------------------


def _convolution(kind: str) -> dict[str, rule.Rule]:
    """Return the rules of a convolution and of its gradients.

    It is linear in images and in filters, so each rule applies the other two.
    """

    def whole(apply: rule.Apply, op: rule.Applied, *inputs: rule.Tensor) -> rule.Tensor:
        return apply(kind, *inputs, **op.attrs)

    def images(
        apply: rule.Apply, op: rule.Applied, *inputs: rule.Tensor
    ) -> rule.Tensor:
        return apply(f"{kind}BackpropInput", *inputs, **op.attrs)

    def filters(
        apply: rule.Apply, op: rule.Applied, *inputs: rule.Tensor
    ) -> rule.Tensor:
        return apply(f"{kind}BackpropFilter", *inputs, **op.attrs)

    def of_whole(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
        x, w = op.inputs
        return (
            lambda: images(apply, op, rule.shape_of(apply, x), w, dy),
            lambda: filters(apply, op, x, rule.shape_of(apply, w), dy),
        )

    def of_images(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
        _, w, backprop = op.inputs
        return (
            None,
            lambda: filters(apply, op, dy, rule.shape_of(apply, w), backprop),
            lambda: whole(apply, op, dy, w),
        )

    def of_filters(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
        x, _, backprop = op.inputs
        return (
            lambda: images(apply, op, rule.shape_of(apply, x), dy, backprop),
            None,
            lambda: whole(apply, op, x, dy),
        )

    return {
        kind: of_whole,
        f"{kind}BackpropInput": of_images,
        f"{kind}BackpropFilter": of_filters,
    }


def _max_pool(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return apply("MaxPoolGrad", op.inputs[0], dy, **op.attrs)


def _max_pool_back(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Return to each window the gradient of its first maximum; 0 if it has no pixel."""
    places = apply("MaxPoolPositions", op.inputs[0], **op.attrs)
    inside = apply("Maximum", places, np.int64(0))
    there = apply("GatherV2", rule.flat(apply, dy), inside, axis=0, batch_dims=0)
    return None, rule.where(apply, places >= np.int64(0), there)


def _avg_pool(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return apply("AvgPoolGrad", rule.shape_of(apply, op.inputs[0]), dy, **op.attrs)


def _avg_pool_back(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return None, apply("AvgPool", dy, **op.attrs)


RULES: dict[str, rule.Rule] = {
    "Relu": _relu,
    "ReluGrad": _relu_gradient,
    "Relu6": _relu6,
    "LeakyRelu": _leaky_relu,
    "Elu": _elu,
    "Selu": _selu,
    "Sigmoid": rule.unary(lambda apply, x, y: y * (1 - y)),
    "Softplus": rule.unary(lambda apply, x, y: apply("Sigmoid", x)),
    "Softsign": rule.unary(
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
    "MaxPoolGrad": _max_pool_back,
    "MaxPoolPositions": rule.not_differentiable,
    "AvgPool": _avg_pool,
    "AvgPoolGrad": _avg_pool_back,
}
