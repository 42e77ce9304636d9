"""Operations of neural networks: activations, losses, normalization and bias.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.arithmetic import summed, widened, written
from tpuref.engine.ops.definition import (
    BATCHED,
    ELEMENTWISE,
    Batching,
    OpDef,
    Operand,
    Traits,
    elementary,
)
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.kernels import elementwise, sums

# -- activations -------------------------------------------------------------------


def _infer_activation(features: Operand) -> TensorSpec:
    return broadcasting.same_shape(features, broadcasting.FLOATING)


def _infer_sigmoid(features: Operand) -> TensorSpec:
    return broadcasting.same_shape(features, broadcasting.INEXACT)


def _infer_relu(features: Operand) -> TensorSpec:
    return broadcasting.same_shape(features, broadcasting.REAL)


def _infer_leaky_relu(features: Operand, *, alpha: float) -> TensorSpec:
    return broadcasting.same_shape(features, broadcasting.FLOATING)


def _infer_along_axis(logits: Operand, *, axis: int) -> TensorSpec:
    if logits.shape.rank is not None:
        broadcasting.normalize_axis(axis, logits.shape.rank)
    return broadcasting.same_shape(logits, broadcasting.FLOATING)


def _relu(xp: Any, features: Array, *, out: Array | None = None) -> Any:
    if xp is np:
        return written(elementwise.relu, features, out=out)
    return xp.maximum(features, features.dtype.type(0))


def _infer_relu_gradient(gradient: Operand, features: Operand) -> TensorSpec:
    broadcasting.require_same_dtype(gradient, features)
    broadcasting.require_kind(gradient, broadcasting.REAL)
    return TensorSpec(gradient.shape.merge_with(features.shape), gradient.dtype)


def _relu_gradient(
    xp: Any, gradient: Array, features: Array, *, out: Array | None = None
) -> Any:
    """Multiply by 1 or 0, so that NaN and infinity are not lost."""
    if xp is np and gradient.shape == features.shape:
        return written(elementwise.relu_gradient, gradient, features, out=out)
    into = {} if out is None else {"out": out}
    return xp.multiply(gradient, (features > 0).astype(gradient.dtype), **into)


def _relu6(xp: Any, features: Array) -> Any:
    return xp.minimum(_relu(xp, features), features.dtype.type(6))


def _leaky_relu(xp: Any, features: Array, *, alpha: float) -> Any:
    wide = widened(features)
    return xp.where(wide > 0, wide, wide.dtype.type(alpha) * wide).astype(
        features.dtype
    )


def _elu(xp: Any, features: Array) -> Any:
    wide = widened(features)
    return xp.where(wide > 0, wide, xp.expm1(wide)).astype(features.dtype, copy=False)


# The fixed point that Klambauer et al. (2017) derive for self-normalizing networks.
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _selu(xp: Any, features: Array) -> Any:
    wide = widened(features)
    low = wide.dtype.type(_SELU_ALPHA) * xp.expm1(wide)
    scaled = wide.dtype.type(_SELU_SCALE) * xp.where(wide > 0, wide, low)
    return scaled.astype(features.dtype, copy=False)


def _sigmoid(xp: Any, features: Array, *, out: Array | None = None) -> Any:
    wide = widened(features)
    into = {} if out is None or out.dtype != wide.dtype else {"out": out}
    power = xp.exp(xp.negative(wide, **into), **into)
    result = xp.reciprocal(xp.add(power, 1, **into), **into)
    return result.astype(features.dtype, copy=False)


def _softplus(xp: Any, features: Array) -> Any:
    wide = widened(features)
    return xp.logaddexp(wide, wide.dtype.type(0)).astype(features.dtype, copy=False)


def _softsign(xp: Any, features: Array) -> Any:
    wide = widened(features)
    return (wide / (1 + xp.abs(wide))).astype(features.dtype, copy=False)


def _softmax(xp: Any, logits: Array, *, axis: int, out: Array | None = None) -> Any:
    shifted = _below_greatest(xp, logits, axis, out)
    weights = xp.exp(shifted, **({"out": shifted} if xp is np else {}))
    total = _sum_along(xp, weights, axis)
    if xp is np:
        elementwise.divide(weights, total, weights)
    else:
        weights = weights / total
    return weights.astype(logits.dtype, copy=False)


def _log_softmax(xp: Any, logits: Array, *, axis: int) -> Any:
    shifted = _below_greatest(xp, logits, axis)
    return (shifted - _log_sum(xp, shifted, axis)).astype(logits.dtype, copy=False)


def _log_sum(xp: Any, shifted: Array, axis: int) -> Any:
    return xp.log(_sum_along(xp, xp.exp(shifted), axis))


def _sum_along(xp: Any, x: Array, axis: int) -> Any:
    return summed(xp, x, broadcasting.normalize_axes(axis, x.ndim), keepdims=True)


def _surprise(xp: Any, logits: Array, axis: int) -> Any:
    """Return the negative log-softmax."""
    shifted = _below_greatest(xp, logits, axis)
    return _log_sum(xp, shifted, axis) - shifted


def _below_greatest(xp: Any, logits: Array, axis: int, out: Array | None = None) -> Any:
    """Subtract the maximum, so that exp does not overflow."""
    wide = widened(logits)
    if xp is not np:
        return wide - xp.max(wide, axis, keepdims=True, initial=-np.inf)
    rows = np.require(wide.swapaxes(axis, -1), requirements=("C", "A"))
    greatest = np.empty((*rows.shape[:-1], 1), rows.dtype)
    size = rows.shape[-1]
    sums.greatest_of_rows(rows.reshape(greatest.size, size), greatest.reshape(-1))
    out = None if out is None or out.dtype != wide.dtype else out
    return written(elementwise.subtract, wide, greatest.swapaxes(axis, -1), out=out)


# -- losses ------------------------------------------------------------------------


def _infer_cross_entropy(logits: Operand, labels: Operand, *, axis: int) -> TensorSpec:
    spec = broadcasting.broadcast_same_dtype(logits, labels, kind=broadcasting.FLOATING)
    if spec.shape.rank is None:
        return spec
    sizes = list(spec.shape.as_tuple())
    del sizes[broadcasting.normalize_axis(axis, len(sizes))]
    return TensorSpec(sizes, spec.dtype)


def _cross_entropy(xp: Any, logits: Array, labels: Array, *, axis: int) -> Any:
    """Skip labels of 0, whose product with infinity would be NaN."""
    logits, labels = xp.broadcast_arrays(logits, labels)
    surprise = _surprise(xp, logits, axis)
    loss = xp.where(labels == 0, surprise.dtype.type(0), widened(labels) * surprise)
    return xp.sum(loss, axis).astype(logits.dtype, copy=False)


def _infer_sparse_cross_entropy(logits: Operand, labels: Operand) -> TensorSpec:
    broadcasting.require_kind(logits, broadcasting.FLOATING)
    broadcasting.require_kind(labels, broadcasting.INDEX)
    outer = broadcasting.require_rank_at_least(logits, 1)[:-1]
    if not outer.is_compatible_with(labels.shape):
        raise ValueError(
            "expected one label for each row of logits, got "
            f"{broadcasting.describe_all(logits, labels)}"
        )
    return TensorSpec(outer.merge_with(labels.shape), logits.dtype)


def _sparse_cross_entropy(logits: Array, labels: Array) -> Array:
    classes = logits.shape[-1]
    if labels.shape != logits.shape[:-1]:
        raise ValueError("expected one label for each row of logits")
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise ValueError(
            f"label {wrong[0]} is no class; expected 0 <= label < {classes}"
        )
    shifted = _below_greatest(np, logits, -1)
    first = np.arange(0, shifted.size, classes or 1).reshape(labels.shape)
    chosen = shifted.reshape(-1)[first + labels]
    weights = np.exp(shifted, out=shifted)
    loss: Array = np.log(_sum_along(np, weights, -1))[..., 0] - chosen
    return loss.astype(logits.dtype, copy=False)


def _stacked_sparse_cross_entropy(logits: Array, labels: Array) -> Array:
    return _sparse_cross_entropy(logits, np.broadcast_to(labels, logits.shape[:-1]))


def _infer_sigmoid_cross_entropy(logits: Operand, labels: Operand) -> TensorSpec:
    """Refuse static shapes that differ; unknown sizes broadcast, as in TensorFlow."""
    if not logits.shape.is_compatible_with(labels.shape):
        raise ValueError(
            f"expected equal shapes, got {broadcasting.describe_all(logits, labels)}"
        )
    return broadcasting.broadcast_same_dtype(logits, labels, kind=broadcasting.FLOATING)


def _sigmoid_cross_entropy(xp: Any, logits: Array, labels: Array) -> Any:
    x, z = widened(logits), widened(labels)
    loss = xp.maximum(x, 0) - x * z + xp.log1p(xp.exp(-xp.abs(x)))
    return loss.astype(logits.dtype, copy=False)


def _infer_l2_loss(t: Operand) -> TensorSpec:
    return TensorSpec([], broadcasting.require_kind(t, broadcasting.FLOATING))


def _l2_loss(xp: Any, t: Array) -> Any:
    return (xp.sum(xp.square(widened(t))) / 2).astype(t.dtype, copy=False)


# -- normalization and bias --------------------------------------------------------


def _infer_l2_normalize(
    x: Operand, *, axes: tuple[int, ...] | None, epsilon: float
) -> TensorSpec:
    if x.shape.rank is not None:
        broadcasting.normalize_axes(axes, x.shape.rank)
    return broadcasting.same_shape(x, broadcasting.FLOATING)


def _l2_normalize(
    xp: Any, x: Array, *, axes: tuple[int, ...] | None, epsilon: float
) -> Any:
    wide = widened(x)
    square = xp.sum(xp.square(wide), axes, keepdims=True)
    return (wide / xp.sqrt(xp.maximum(square, epsilon))).astype(x.dtype, copy=False)


def _infer_bias_add(value: Operand, bias: Operand, *, data_format: str) -> TensorSpec:
    dtype = broadcasting.require_same_dtype(value, bias)
    broadcasting.require_kind(value, broadcasting.NUMERIC)
    shape = broadcasting.require_rank_at_least(value, 2)
    size = broadcasting.require_rank(bias, 1).as_tuple()[0]
    if shape.rank is None:
        return TensorSpec(None, dtype)
    sizes = list(shape.as_tuple())
    channels = 1 if data_format == "NCHW" else -1
    if None not in (size, sizes[channels]) and size != sizes[channels]:
        raise ValueError(
            f"expected one bias for each of the {sizes[channels]} channels, got "
            f"{broadcasting.describe_all(value, bias)}"
        )
    sizes[channels] = size if sizes[channels] is None else sizes[channels]
    return TensorSpec(sizes, dtype)


def _bias_add(
    xp: Any, value: Array, bias: Array, *, data_format: str, out: Array | None = None
) -> Any:
    channels = 1 if data_format == "NCHW" else value.ndim - 1
    if bias.shape[-1] != value.shape[channels]:
        wanted, biases = value.shape[channels], bias.shape[-1]
        raise ValueError(f"expected {wanted} biases, got {biases}")
    if data_format == "NCHW":
        bias = bias.reshape([-1] + [1] * (value.ndim - 2))
    elif xp is np:
        return written(elementwise.add, value, bias, out=out)
    into = {} if out is None else {"out": out}
    return xp.add(value, bias, **into)


def _adds_to_last_axis(
    value: Operand, bias: Operand, *, data_format: str
) -> str | None:
    return None if data_format == "NCHW" else "add"


_graded = partial(OpDef, gradient="networks")
_op = partial(_graded, batching=ELEMENTWISE)

OPERATIONS: tuple[OpDef, ...] = (
    _op(
        "Relu",
        infer=_infer_relu,
        meaning=_relu,
        batching=elementary("relu"),
        traits=Traits(overwrites=True),
    ),
    _op(
        "ReluGrad",
        infer=_infer_relu_gradient,
        meaning=_relu_gradient,
        batching=elementary("relu_gradient"),
        traits=Traits(overwrites=True),
    ),
    _op("Relu6", infer=_infer_relu, meaning=_relu6),
    _op("LeakyRelu", infer=_infer_leaky_relu, meaning=_leaky_relu),
    _op("Elu", infer=_infer_activation, meaning=_elu),
    _op("Selu", infer=_infer_activation, meaning=_selu),
    _op("Sigmoid", infer=_infer_sigmoid, meaning=_sigmoid),
    _op("Softplus", infer=_infer_activation, meaning=_softplus),
    _op("Softsign", infer=_infer_activation, meaning=_softsign),
    _graded("Softmax", infer=_infer_along_axis, meaning=_softmax, batching=BATCHED),
    _graded(
        "LogSoftmax", infer=_infer_along_axis, meaning=_log_softmax, batching=BATCHED
    ),
    _graded(
        "SoftmaxCrossEntropyWithLogits",
        infer=_infer_cross_entropy,
        meaning=_cross_entropy,
    ),
    _graded(
        "SparseSoftmaxCrossEntropyWithLogits",
        infer=_infer_sparse_cross_entropy,
        compute=ieee(_sparse_cross_entropy),
        batching=Batching(stacked=_stacked_sparse_cross_entropy),
        xla="indexing",
    ),
    _graded(
        "SigmoidCrossEntropyWithLogits",
        infer=_infer_sigmoid_cross_entropy,
        meaning=_sigmoid_cross_entropy,
    ),
    _graded("L2Loss", infer=_infer_l2_loss, meaning=_l2_loss),
    _graded("L2Normalize", infer=_infer_l2_normalize, meaning=_l2_normalize),
    _graded(
        "BiasAdd",
        infer=_infer_bias_add,
        meaning=_bias_add,
        batching=Batching(elementary=_adds_to_last_axis),
        traits=Traits(overwrites=True),
    ),
)
