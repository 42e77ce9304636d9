"""Gradients of folds along axes: what each element contributed."""

from __future__ import annotations

import numpy as np

from tpuref.ops.broadcasting import normalize_axes
from tpuref.ops.derivatives.rule import (
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


def _kept(apply: Apply, op: Applied, y: Tensor) -> Tensor:
    """Return a result with the axes that were reduced back, each of size 1."""
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
    """Return a result repeated for each element that was folded into it."""
    x = op.inputs[0]
    return apply("BroadcastTo", _kept(apply, op, y), shape_of(apply, x))


def _count(apply: Apply, op: Applied, like: Tensor) -> Tensor:
    """Return how many elements were folded into one, as a number like another."""
    results = apply("Maximum", size_of(apply, op.outputs[0]), np.int32(1))
    count = apply("FloorDiv", size_of(apply, op.inputs[0]), results)
    return apply("Cast", count, dtype=like.dtype.name)


def _sum(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _spread(apply, op, dy)


def _mean(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _spread(apply, op, dy) / _count(apply, op, dy)


def _prod(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Multiply all elements but one, from the left and the right of it.

    The product divided by the element would be 0 / 0 for an element of 0.
    """
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
    """Elements that are equally great share the gradient."""
    found = apply("Equal", op.inputs[0], _kept(apply, op, op.outputs[0]))
    shares = apply("Cast", found, dtype=dy.dtype.name)
    count = apply("Sum", shares, axis=op.attrs["axis"], keepdims=True)
    return shares / count * _kept(apply, op, dy)


def _deviation(apply: Apply, op: Applied) -> Tensor:
    x = op.inputs[0]
    return x - apply("Mean", x, axis=op.attrs["axis"], keepdims=True)


def _degrees(apply: Apply, op: Applied, like: Tensor) -> Tensor:
    """Return what a sum of squares is divided by to give the variance."""
    free = _count(apply, op, like) - op.attrs["ddof"]
    return apply("Maximum", free, number(0, like))


def _variance(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    scale = _kept(apply, op, 2 * dy / _degrees(apply, op, dy))
    return _deviation(apply, op) * of_dtype(apply, scale, op.inputs[0])


def _std(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    slope = over_root(apply, dy, op.outputs[0]) / _degrees(apply, op, dy)
    scale = _kept(apply, op, slope)
    return _deviation(apply, op) * of_dtype(apply, scale, op.inputs[0])


def _euclidean_norm(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return op.inputs[0] * _kept(apply, op, over_root(apply, dy, op.outputs[0]))


def _log_sum_exp(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    weights = apply("Exp", op.inputs[0] - _kept(apply, op, op.outputs[0]))
    return weights * _kept(apply, op, dy)


# -- running folds -----------------------------------------------------------------


def _running_back(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return the running sum from the other end."""
    reverse = not op.attrs["reverse"]
    axis, exclusive = op.attrs["axis"], op.attrs["exclusive"]
    return apply("Cumsum", dy, axis=axis, exclusive=exclusive, reverse=reverse)


def _cumsum(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return _whole(apply, op, _running_back(apply, op, dy))


def _cumprod(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Divide by the elements, so that an element of 0 gives no number."""
    x = op.inputs[0] if op.attrs["axis"] is not None else flat(apply, op.inputs[0])
    total = _running_back(apply, op, dy * conj(apply, op.outputs[0]))
    return _whole(apply, op, total / conj(apply, x))


def _whole(apply: Apply, op: Applied, gradient: Tensor) -> Tensor:
    """Undo that a tensor without an axis was flattened."""
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
