"""Operations that fold a tensor along axes, and the running folds along one axis.

float16 and bfloat16 accumulate in float32 and are rounded once.  Sums are NumPy's,
which adds pairwise along the fastest axis, so that the error of a float32 sum grows
with the logarithm of the length only.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype, bool_, complex64, complex128, float32, float64
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import is_integer, summed, widened
from tpuref.engine.ops.broadcasting import (
    BOOL,
    FLOATING,
    INDEX,
    INEXACT,
    INTEGER,
    NUMERIC,
    NUMERIC_OR_BOOL,
    REAL,
    Axis,
    Kind,
    normalize_axes,
    normalize_axis,
    reduced_shape,
    require_kind,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.stacking import along, reducing

REAL_OR_BOOL = Kind("a real number or boolean", (*REAL.dtypes, bool_))

_REAL_PART = {complex64: float32, complex128: float64}


# Inference.


def _keeping(kind: Kind) -> Callable[..., TensorSpec]:
    """Return the inference of a fold of values of a kind that keeps the dtype."""

    def infer(x: Operand, *, axis: Axis, keepdims: bool) -> TensorSpec:
        dtype = require_kind(x, kind)
        return TensorSpec(reduced_shape(x.shape, axis, keepdims), dtype)

    return infer


numeric, real = _keeping(NUMERIC), _keeping(REAL)
floating, boolean = _keeping(FLOATING), _keeping(BOOL)


def spread(x: Operand, *, axis: Axis, keepdims: bool, ddof: int) -> TensorSpec:
    """Infer a variance or deviation, which is real for complex numbers too."""
    dtype = require_kind(x, INEXACT)
    shape = reduced_shape(x.shape, axis, keepdims)
    return TensorSpec(shape, _REAL_PART.get(dtype, dtype))


def count(x: Operand, *, axis: Axis, keepdims: bool, dtype: str) -> TensorSpec:
    """Infer a count of elements as integers of `dtype`."""
    require_kind(x, NUMERIC_OR_BOOL)
    result = as_dtype(dtype)
    if result not in INTEGER:
        raise TypeError(f"a count is {INTEGER}, not {result.name}")
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), result)


def position(
    x: Operand, *, axis: int | None, keepdims: bool, output_type: str
) -> TensorSpec:
    """Infer the index of an extreme along `axis`, or in the flattened tensor."""
    require_kind(x, REAL_OR_BOOL)
    result = as_dtype(output_type)
    if result not in INDEX:
        raise TypeError(f"a position is {INDEX}, not {result.name}")
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), result)


def running(
    x: Operand, *, axis: int | None, exclusive: bool, reverse: bool
) -> TensorSpec:
    """Infer a running fold along `axis`, or along the flattened tensor."""
    dtype = require_kind(x, NUMERIC)
    if axis is None:
        return TensorSpec(TensorShape([x.shape.num_elements()]), dtype)
    if x.shape.rank is not None:
        normalize_axis(axis, x.shape.rank)
    return TensorSpec(x.shape, dtype)


# Computation.


def _sum(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    return summed(xp, wide, axes, keepdims=keepdims).astype(x.dtype, copy=False)


def _prod(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    return xp.prod(wide, axes, wide.dtype, keepdims=keepdims).astype(
        x.dtype, copy=False
    )


def _mean(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    if is_integer(x):
        return _integer_mean(xp, x, normalize_axes(axis, x.ndim), keepdims)
    return _wide_mean(xp, x, normalize_axes(axis, x.ndim), keepdims).astype(
        x.dtype, copy=False
    )


def _wide_mean(xp: Any, x: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    wide = widened(x)
    total = summed(xp, wide, axes, keepdims=keepdims)
    return xp.true_divide(total, wide.dtype.type(_length(x, axes)))


def _integer_mean(xp: Any, x: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return the quotient without its fraction, from a sum in 64 bits."""
    size = _length(x, axes)
    unsigned = x.dtype.kind == "u"
    total = xp.sum(x, axes, np.uint64 if unsigned else np.int64, keepdims=keepdims)
    whole = xp.abs(total) // total.dtype.type(max(size, 1))
    return xp.where(total < 0, xp.negative(whole), whole).astype(x.dtype, copy=False)


def _length(x: Array, axes: tuple[int, ...]) -> int:
    """Return the number of elements per result."""
    return math.prod(x.shape[axis] for axis in axes)


def _max(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    least = as_dtype(x.dtype).min if is_integer(x) else -math.inf
    axes = normalize_axes(axis, x.ndim)
    return xp.max(x, axes, keepdims=keepdims, initial=x.dtype.type(least))


def _min(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    greatest = as_dtype(x.dtype).max if is_integer(x) else math.inf
    axes = normalize_axes(axis, x.ndim)
    return xp.min(x, axes, keepdims=keepdims, initial=x.dtype.type(greatest))


def _any(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    return xp.any(x, normalize_axes(axis, x.ndim), keepdims=keepdims)


def _all(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    return xp.all(x, normalize_axes(axis, x.ndim), keepdims=keepdims)


def _wide_variance(xp: Any, x: Array, axis: Axis, keepdims: bool, ddof: int) -> Any:
    axes = normalize_axes(axis, x.ndim)
    deviation = xp.absolute(widened(x) - _wide_mean(xp, x, axes, keepdims=True))
    total = summed(xp, xp.square(deviation), axes, keepdims=keepdims)
    return xp.true_divide(total, total.dtype.type(max(_length(x, axes) - ddof, 0)))


def _variance(xp: Any, x: Array, *, axis: Axis, keepdims: bool, ddof: int) -> Any:
    return _wide_variance(xp, x, axis, keepdims, ddof).astype(x.real.dtype, copy=False)


def _std(xp: Any, x: Array, *, axis: Axis, keepdims: bool, ddof: int) -> Any:
    return xp.sqrt(_wide_variance(xp, x, axis, keepdims, ddof)).astype(
        x.real.dtype, copy=False
    )


def _euclidean_norm(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    total = xp.sum(xp.square(wide), axes, wide.dtype, keepdims=keepdims)
    return xp.sqrt(total).astype(x.dtype, copy=False)


def _log_sum_exp(xp: Any, x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    top = xp.max(wide, axes, keepdims=True, initial=wide.dtype.type(-math.inf))
    # An infinite maximum would give inf - inf, so it is not subtracted.
    top = xp.where(xp.isfinite(top), top, wide.dtype.type(0))
    result = xp.log(xp.sum(xp.exp(wide - top), axes, keepdims=True)) + top
    return (result if keepdims else xp.squeeze(result, axes)).astype(
        x.dtype, copy=False
    )


def _count_nonzero(xp: Any, x: Array, *, axis: Axis, keepdims: bool, dtype: str) -> Any:
    nonzero = x.astype(np.bool_)
    axes = normalize_axes(axis, x.ndim)
    return xp.sum(nonzero, axes, as_dtype(dtype).np, keepdims=keepdims)


def _arg_max(
    xp: Any, x: Array, *, axis: int | None, keepdims: bool, output_type: str
) -> Any:
    places = xp.argmax(widened(x), axis, keepdims=keepdims)
    return places.astype(as_dtype(output_type).np)


def _arg_min(
    xp: Any, x: Array, *, axis: int | None, keepdims: bool, output_type: str
) -> Any:
    places = xp.argmin(widened(x), axis, keepdims=keepdims)
    return places.astype(as_dtype(output_type).np)


def _cumulative(name: str, first: int) -> Callable[..., Any]:
    """Return a running sum or product; an exclusive one begins with `first`."""

    def fold(
        xp: Any, x: Array, *, axis: int | None, exclusive: bool, reverse: bool
    ) -> Any:
        wide, along = _line_up(xp, x, axis, reverse)
        result = getattr(xp, name)(wide, along, wide.dtype)
        if exclusive:
            result = _exclusive(xp, result, along, first)
        ordered = xp.flip(result, along) if reverse else result
        return ordered.astype(x.dtype, copy=False)

    return fold


def _line_up(xp: Any, x: Array, axis: int | None, reverse: bool) -> tuple[Array, int]:
    """Return the array and its axis, reversed if `reverse`."""
    wide = widened(x)
    if axis is None:
        wide, axis = wide.reshape(-1), 0
    along = normalize_axis(axis, wide.ndim)
    return (xp.flip(wide, along) if reverse else wide), along


def _exclusive(xp: Any, result: Array, axis: int, first: int) -> Any:
    """Return the exclusive running fold, of the elements before each one."""
    sizes = (*result.shape[:axis], 1, *result.shape[axis + 1 :])
    start = xp.full(sizes, first, result.dtype)
    before = (slice(None),) * axis + (slice(0, result.shape[axis]),)
    delayed: Array = xp.concatenate([start, result], axis)[before]
    return delayed


_op = partial(OpDef, gradient="reductions")

MEAN = _op("Mean", numeric, _mean, batching=Batching(stacked=reducing(_mean)))

OPERATIONS: tuple[OpDef, ...] = (
    _op("Sum", numeric, _sum, batching=Batching(stacked=reducing(_sum))),
    MEAN,
    _op("Prod", numeric, _prod, batching=Batching(stacked=reducing(_prod))),
    _op("Max", real, _max, batching=Batching(stacked=reducing(_max))),
    _op("Min", real, _min, batching=Batching(stacked=reducing(_min))),
    _op("Any", boolean, _any, batching=Batching(stacked=reducing(_any))),
    _op("All", boolean, _all, batching=Batching(stacked=reducing(_all))),
    _op("Variance", spread, _variance),
    _op("Std", spread, _std),
    _op("EuclideanNorm", floating, _euclidean_norm),
    _op("LogSumExp", floating, _log_sum_exp),
    _op("CountNonzero", count, _count_nonzero),
    _op("ArgMax", position, _arg_max, batching=Batching(stacked=along(_arg_max))),
    _op("ArgMin", position, _arg_min, batching=Batching(stacked=along(_arg_min))),
    _op("Cumsum", running, _cumulative("cumsum", 0)),
    _op("Cumprod", running, _cumulative("cumprod", 1)),
)
