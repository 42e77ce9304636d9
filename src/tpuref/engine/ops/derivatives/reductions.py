"""Gradients of reductions and running folds."""

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axes
from tpuref.engine.ops.derivatives import rule


def _keepdims(apply: rule.Apply, op: rule.Applied, y: rule.Tensor) -> rule.Tensor:
    """Return a result with the reduced axes restored, each of size 1."""
    x, axis = op.inputs[0], op.attrs["axis"]
    if op.attrs["keepdims"] or (axis is None and x.shape.rank is None):
        return y
    if x.shape.rank is None:
        whole = apply(op.type, x, **{**op.attrs, "keepdims": True})
        return rule.reshaped_like(apply, y, whole)
    for index in normalize_axes(axis, x.shape.rank):
        y = apply("ExpandDims", y, axis=index)
    return y


def _spread(apply: rule.Apply, op: rule.Applied, y: rule.Tensor) -> rule.Tensor:
    """Broadcast a result to the elements that were reduced."""
    x = op.inputs[0]
    return apply("BroadcastTo", _keepdims(apply, op, y), rule.shape_of(apply, x))


def _count(apply: rule.Apply, op: rule.Applied, like: rule.Tensor) -> rule.Tensor:
    """Return the number of reduced elements per result, in the dtype of `like`."""
    results = apply("Maximum", rule.size_of(apply, op.outputs[0]), np.int32(1))
    count = apply("FloorDiv", rule.size_of(apply, op.inputs[0]), results)
    return apply("Cast", count, dtype=like.dtype.name)


def _mean(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return _spread(apply, op, dy) / _count(apply, op, dy)


def _prod(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Multiply by the product of all other elements, from both sides of each."""
    # Not the product divided by the element, which is 0 / 0 for an element of 0. Over
    # several axes, each axis contributes the product of what the earlier axes left.
    x, axis = op.inputs[0], op.attrs["axis"]
    if axis is None:
        others = rule.reshaped_like(apply, _others(apply, rule.flat(apply, x), 0), x)
    else:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
        if not axes:
            return dy
        first, *more = axes
        others, rest, before = _others(apply, x, first), x, first
        for k in more:
            rest = apply("Prod", rest, axis=before, keepdims=True)
            others, before = others * _others(apply, rest, k), k
    return _spread(apply, op, dy) * rule.conj(apply, others)


def _others(apply: rule.Apply, x: rule.Tensor, axis: int) -> rule.Tensor:
    """Return for each element the product of the others along an axis."""
    left = apply("Cumprod", x, axis=axis, exclusive=True, reverse=False)
    right = apply("Cumprod", x, axis=axis, exclusive=True, reverse=True)
    return left * right


def _extreme(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Share the gradient equally among equal maxima or minima."""
    hits = apply("Equal", op.inputs[0], _keepdims(apply, op, op.outputs[0]))
    shares = apply("Cast", hits, dtype=dy.dtype.name)
    count = apply("Sum", shares, axis=op.attrs["axis"], keepdims=True)
    return shares / count * _keepdims(apply, op, dy)


def _deviation(apply: rule.Apply, op: rule.Applied) -> rule.Tensor:
    x = op.inputs[0]
    return x - apply("Mean", x, axis=op.attrs["axis"], keepdims=True)


def _degrees(apply: rule.Apply, op: rule.Applied, like: rule.Tensor) -> rule.Tensor:
    """Return the degrees of freedom, the divisor of the sum of squares."""
    free = _count(apply, op, like) - op.attrs["ddof"]
    return apply("Maximum", free, rule.number(0, like))


def _variance(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    scale = _keepdims(apply, op, 2 * dy / _degrees(apply, op, dy))
    return _deviation(apply, op) * rule.of_dtype(apply, scale, op.inputs[0])


def _std(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    root = rule.over_root(apply, dy, op.outputs[0]) / _degrees(apply, op, dy)
    scale = _keepdims(apply, op, root)
    return _deviation(apply, op) * rule.of_dtype(apply, scale, op.inputs[0])


def _euclidean_norm(
    apply: rule.Apply, op: rule.Applied, dy: rule.Tensor
) -> rule.Tensor:
    return op.inputs[0] * _keepdims(apply, op, rule.over_root(apply, dy, op.outputs[0]))


def _log_sum_exp(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    weights = apply("Exp", op.inputs[0] - _keepdims(apply, op, op.outputs[0]))
    return weights * _keepdims(apply, op, dy)


# -- running folds -----------------------------------------------------------------


def _running_back(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Return the running sum from the other end."""
    reverse = not op.attrs["reverse"]
    axis, exclusive = op.attrs["axis"], op.attrs["exclusive"]
    return apply("Cumsum", dy, axis=axis, exclusive=exclusive, reverse=reverse)


def _cumsum(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return _whole(apply, op, _running_back(apply, op, dy))


def _cumprod(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Divide by the elements; an element of 0 gives NaN."""
    x = op.inputs[0] if op.attrs["axis"] is not None else rule.flat(apply, op.inputs[0])
    total = _running_back(apply, op, dy * rule.conj(apply, op.outputs[0]))
    return _whole(apply, op, total / rule.conj(apply, x))


def _whole(apply: rule.Apply, op: rule.Applied, gradient: rule.Tensor) -> rule.Tensor:
    """Restore the shape of a tensor that was flattened for lack of an axis."""
    if op.attrs["axis"] is not None:
        return gradient
    return rule.reshaped_like(apply, gradient, op.inputs[0])


RULES: dict[str, rule.Rule] = {
    "Sum": _spread,
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
        ("Any", "All", "CountNonzero", "ArgMax", "ArgMin"), rule.not_differentiable
    ),
}
