"""Gradients of reductions and running folds."""

from __future__ import annotations

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axes
from tpuref.engine.ops.derivatives.rule import (
    Applied,
    Apply,
    Rule,
    Tensor,
    conj,
    flat,
    not_differentiable,
    number,
    of_dtype,
    over_root,
    reshaped_like,
    shape_of,
    size_of,
)


def _keepdims(apply: Apply, op: Applied, y: Tensor) -> Tensor:
    """Return a result with the reduced axes restored, each of size 1."""
    x, axis = op.inputs[0], op.attrs["axis"]
    if op.attrs["keepdims"] or (axis is None and x.shape.rank is None):
        return y
    if x.shape.rank is None:
        whole = apply(op.type, x, **{**op.attrs, "keepdims": True})
        return reshaped_like(apply, y, whole)
    for index in normalize_axes(axis, x.shape.rank):
        y = apply("ExpandDims", y, axis=index)
    return y


def _spread(apply: Apply, op: Applied, y: Tensor) -> Tensor:
    """Broadcast a result to the elements that were reduced."""
    x = op.inputs[0]
    return apply("BroadcastTo", _keepdims(apply, op, y), shape_of(apply, x))


def _count(apply: Apply, op: Applied, like: Tensor) -> Tensor:
    """Return the number of reduced elements per result, in the dtype of `like`."""
    results = apply("Maximum", size_of(apply, op.outputs[0]), np.int32(1))
    count = apply("FloorDiv", size_of(apply, op.inputs[0]), results)
    return apply("Cast", count, dtype=like.dtype.name)


def _sum(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _spread(apply, op, dy)


def _mean(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _spread(apply, op, dy) / _count(apply, op, dy)


def _prod(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Multiply by the product of all other elements, from both sides of each."""
    # Not the product divided by the element, which is 0 / 0 for an element of 0. Over
    # several axes, each axis contributes the product of what the earlier axes left.
    x, axis = op.inputs[0], op.attrs["axis"]
    if axis is None:
        others = reshaped_like(apply, _others(apply, flat(apply, x), 0), x)
    else:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
        if not axes:
            return dy
        first, *more = axes
        others, rest, before = _others(apply, x, first), x, first
        for k in more:
            rest = apply("Prod", rest, axis=before, keepdims=True)
            others, before = others * _others(apply, rest, k), k
    return _spread(apply, op, dy) * conj(apply, others)


def _others(apply: Apply, x: Tensor, axis: int) -> Tensor:
    """Return for each element the product of the others along an axis."""
    left = apply("Cumprod", x, axis=axis, exclusive=True, reverse=False)
    right = apply("Cumprod", x, axis=axis, exclusive=True, reverse=True)
    return left * right


def _extreme(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Share the gradient equally among equal maxima or minima."""
    found = apply("Equal", op.inputs[0], _keepdims(apply, op, op.outputs[0]))
    shares = apply("Cast", found, dtype=dy.dtype.name)
    count = apply("Sum", shares, axis=op.attrs["axis"], keepdims=True)
    return shares / count * _keepdims(apply, op, dy)


def _deviation(apply: Apply, op: Applied) -> Tensor:
    x = op.inputs[0]
    return x - apply("Mean", x, axis=op.attrs["axis"], keepdims=True)


def _degrees(apply: Apply, op: Applied, like: Tensor) -> Tensor:
    """Return the degrees of freedom, the divisor of the sum of squares."""
    free = _count(apply, op, like) - op.attrs["ddof"]
    return apply("Maximum", free, number(0, like))


def _variance(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    scale = _keepdims(apply, op, 2 * dy / _degrees(apply, op, dy))
    return _deviation(apply, op) * of_dtype(apply, scale, op.inputs[0])


def _std(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    root = over_root(apply, dy, op.outputs[0]) / _degrees(apply, op, dy)
    scale = _keepdims(apply, op, root)
    return _deviation(apply, op) * of_dtype(apply, scale, op.inputs[0])


def _euclidean_norm(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return op.inputs[0] * _keepdims(apply, op, over_root(apply, dy, op.outputs[0]))


def _log_sum_exp(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    weights = apply("Exp", op.inputs[0] - _keepdims(apply, op, op.outputs[0]))
    return weights * _keepdims(apply, op, dy)


# -- running folds -----------------------------------------------------------------


def _running_back(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return the running sum from the other end."""
    reverse = not op.attrs["reverse"]
    axis, exclusive = op.attrs["axis"], op.attrs["exclusive"]
    return apply("Cumsum", dy, axis=axis, exclusive=exclusive, reverse=reverse)


def _cumsum(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _whole(apply, op, _running_back(apply, op, dy))


def _cumprod(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Divide by the elements; an element of 0 gives NaN."""
    x = op.inputs[0] if op.attrs["axis"] is not None else flat(apply, op.inputs[0])
    total = _running_back(apply, op, dy * conj(apply, op.outputs[0]))
    return _whole(apply, op, total / conj(apply, x))


def _whole(apply: Apply, op: Applied, gradient: Tensor) -> Tensor:
    """Restore the shape of a tensor that was flattened for lack of an axis."""
    if op.attrs["axis"] is not None:
        return gradient
    return reshaped_like(apply, gradient, op.inputs[0])


RULES: dict[str, Rule] = {
    "Sum": _sum,
    "Mean": _mean,
    "Prod": _prod,
    "Max": _extreme,
    "Min": _extreme,
    "Variance": _variance,
    "Std": _std,
    "EuclideanNorm": _euclidean_norm,
    "LogSumExp": _log_sum_exp,
    "Cumsum": _cumsum,
    "Cumprod": _cumprod,
    **dict.fromkeys(
        ("Any", "All", "CountNonzero", "ArgMax", "ArgMin"), not_differentiable
    ),
}
