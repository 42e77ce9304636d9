"""Operations that fold a tensor along axes, and the running folds along one axis.

float16 and bfloat16 accumulate in float32 and are rounded once.  Sums are NumPy's,
which adds pairwise along the fastest axis, so that the error of a float32 sum grows
with the logarithm of the length only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype, bool_, complex64, complex128, float32, float64
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.ops.arithmetic import describe, ieee, is_integer, widened
from tpuref.ops.broadcasting import (
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
from tpuref.ops.definition import Array, OpDef, Operand

REAL_OR_BOOL = Kind("a real number or boolean", (*REAL.dtypes, bool_))

_REAL_PART = {complex64: float32, complex128: float64}


# Inference.


def numeric(x: Operand, *, axis: Axis, keepdims: bool) -> TensorSpec:
    """Infer a fold of numbers that keeps the dtype."""
    dtype = require_kind(x, NUMERIC)
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), dtype)


def real(x: Operand, *, axis: Axis, keepdims: bool) -> TensorSpec:
    """Infer a fold of real numbers that keeps the dtype."""
    dtype = require_kind(x, REAL)
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), dtype)


def floating(x: Operand, *, axis: Axis, keepdims: bool) -> TensorSpec:
    """Infer a fold of floating-point numbers that keeps the dtype."""
    dtype = require_kind(x, FLOATING)
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), dtype)


def boolean(x: Operand, *, axis: Axis, keepdims: bool) -> TensorSpec:
    """Infer a fold of booleans."""
    dtype = require_kind(x, BOOL)
    return TensorSpec(reduced_shape(x.shape, axis, keepdims), dtype)


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


def _sum(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    return np.sum(wide, axes, wide.dtype, keepdims=keepdims).astype(x.dtype)


def _prod(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    return np.prod(wide, axes, wide.dtype, keepdims=keepdims).astype(x.dtype)


def _mean(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    if is_integer(x):
        return _integer_mean(x, normalize_axes(axis, x.ndim), keepdims)
    return _wide_mean(x, normalize_axes(axis, x.ndim), keepdims).astype(x.dtype)


def _wide_mean(x: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    wide = widened(x)
    total = np.sum(wide, axes, wide.dtype, keepdims=keepdims)
    return np.true_divide(total, wide.dtype.type(_length(x, axes)))


def _integer_mean(x: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return the quotient without its fraction, from a sum in 64 bits."""
    size = _length(x, axes)
    unsigned = x.dtype.kind == "u"
    total = np.sum(x, axes, np.uint64 if unsigned else np.int64, keepdims=keepdims)
    if size == 0 and total.size:
        raise InvalidArgumentError(f"no integer is the mean of {describe(x)}")
    whole = np.abs(total) // total.dtype.type(max(size, 1))
    return np.where(total < 0, np.negative(whole), whole).astype(x.dtype)


def _length(x: Array, axes: tuple[int, ...]) -> int:
    """Return how many elements are folded into one."""
    return math.prod(x.shape[axis] for axis in axes)


def _max(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    least = as_dtype(x.dtype).min if is_integer(x) else -math.inf
    axes = normalize_axes(axis, x.ndim)
    return np.max(x, axes, keepdims=keepdims, initial=x.dtype.type(least))


def _min(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    greatest = as_dtype(x.dtype).max if is_integer(x) else math.inf
    axes = normalize_axes(axis, x.ndim)
    return np.min(x, axes, keepdims=keepdims, initial=x.dtype.type(greatest))


def _any(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    return np.any(x, normalize_axes(axis, x.ndim), keepdims=keepdims)


def _all(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    return np.all(x, normalize_axes(axis, x.ndim), keepdims=keepdims)


def _wide_variance(x: Array, axis: Axis, keepdims: bool, ddof: int) -> Any:
    axes = normalize_axes(axis, x.ndim)
    deviation = np.absolute(widened(x) - _wide_mean(x, axes, keepdims=True))
    total = np.sum(np.square(deviation), axes, deviation.dtype, keepdims=keepdims)
    return np.true_divide(total, total.dtype.type(max(_length(x, axes) - ddof, 0)))


def _variance(x: Array, *, axis: Axis, keepdims: bool, ddof: int) -> Any:
    return _wide_variance(x, axis, keepdims, ddof).astype(x.real.dtype)


def _std(x: Array, *, axis: Axis, keepdims: bool, ddof: int) -> Any:
    return np.sqrt(_wide_variance(x, axis, keepdims, ddof)).astype(x.real.dtype)


def _euclidean_norm(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    total = np.sum(np.square(wide), axes, wide.dtype, keepdims=keepdims)
    return np.sqrt(total).astype(x.dtype)


def _log_sum_exp(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    wide = widened(x)
    axes = normalize_axes(axis, x.ndim)
    top = np.max(wide, axes, keepdims=True, initial=wide.dtype.type(-math.inf))
    # An infinite maximum would give inf - inf; the sum is infinite without its help.
    top = np.where(np.isfinite(top), top, wide.dtype.type(0))
    result = np.log(np.sum(np.exp(wide - top), axes, keepdims=True)) + top
    return (result if keepdims else np.squeeze(result, axes)).astype(x.dtype)


def _count_nonzero(x: Array, *, axis: Axis, keepdims: bool, dtype: str) -> Any:
    nonzero = x.astype(np.bool_)
    axes = normalize_axes(axis, x.ndim)
    return np.sum(nonzero, axes, as_dtype(dtype).np, keepdims=keepdims)


def _arg_max(x: Array, *, axis: int | None, keepdims: bool, output_type: str) -> Any:
    found = np.argmax(widened(x), axis, keepdims=keepdims)
    return found.astype(as_dtype(output_type).np)


def _arg_min(x: Array, *, axis: int | None, keepdims: bool, output_type: str) -> Any:
    found = np.argmin(widened(x), axis, keepdims=keepdims)
    return found.astype(as_dtype(output_type).np)


def _cumsum(x: Array, *, axis: int | None, exclusive: bool, reverse: bool) -> Any:
    wide, along = _line_up(x, axis, reverse)
    result = np.cumsum(wide, along, wide.dtype)
    if exclusive:
        result = _delayed(result, along, 0)
    ordered = np.flip(result, along) if reverse else result
    return ordered.astype(x.dtype, copy=False)


def _cumprod(x: Array, *, axis: int | None, exclusive: bool, reverse: bool) -> Any:
    wide, along = _line_up(x, axis, reverse)
    result = np.cumprod(wide, along, wide.dtype)
    if exclusive:
        result = _delayed(result, along, 1)
    ordered = np.flip(result, along) if reverse else result
    return ordered.astype(x.dtype, copy=False)


def _line_up(x: Array, axis: int | None, reverse: bool) -> tuple[Array, int]:
    """Return the array and the axis to run along, from its end if `reverse`."""
    wide = widened(x)
    if axis is None:
        wide, axis = wide.reshape(-1), 0
    along = normalize_axis(axis, wide.ndim)
    return (np.flip(wide, along) if reverse else wide), along


def _delayed(result: Array, axis: int, first: int) -> Array:
    """Return the running fold of the elements before each one."""
    delayed = np.roll(result, 1, axis)
    delayed[(slice(None),) * axis + (slice(0, 1),)] = first
    return delayed


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("Sum", numeric, ieee(_sum)),
    OpDef("Mean", numeric, ieee(_mean)),
    OpDef("Prod", numeric, ieee(_prod)),
    OpDef("Max", real, ieee(_max)),
    OpDef("Min", real, ieee(_min)),
    OpDef("Any", boolean, ieee(_any)),
    OpDef("All", boolean, ieee(_all)),
    OpDef("Variance", spread, ieee(_variance)),
    OpDef("Std", spread, ieee(_std)),
    OpDef("EuclideanNorm", floating, ieee(_euclidean_norm)),
    OpDef("LogSumExp", floating, ieee(_log_sum_exp)),
    OpDef("CountNonzero", count, ieee(_count_nonzero)),
    OpDef("ArgMax", position, ieee(_arg_max)),
    OpDef("ArgMin", position, ieee(_arg_min)),
    OpDef("Cumsum", running, ieee(_cumsum)),
    OpDef("Cumprod", running, ieee(_cumprod)),
)
