"""Operations that create arrays."""

import math
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.definition import OF_SHAPE, Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import require_index_scalar, shape_held_by, sizes_in
from tpuref.engine.ops.sources import infer_same
from tpuref.engine.ops.stacking import along


def _infer_fill(dims: Operand, value: Operand) -> TensorSpec:
    broadcasting.require_rank(value, 0)
    return TensorSpec(shape_held_by(dims), value.dtype)


def _fill(xp: Any, dims: Array, value: Array, *, out: Array | None = None) -> Any:
    if out is None:
        return xp.full(sizes_in(dims), value.reshape(()), value.dtype)
    out[...] = value
    return out


def zeros_like(x: Array) -> Array:
    """Return zeros, or empty texts, in the shape of `x`."""
    return np.full(x.shape, b"", object) if x.dtype == object else np.zeros_like(x)


def _ones_like(xp: Any, x: Array) -> Any:
    return xp.ones_like(x)


def _infer_ones_like(x: Operand) -> TensorSpec:
    return broadcasting.same_shape(x, broadcasting.NUMERIC_OR_BOOL)


def _infer_range(start: Operand, limit: Operand, delta: Operand) -> TensorSpec:
    dtype = broadcasting.require_same_dtype(start, limit, delta)
    broadcasting.require_kind(start, broadcasting.REAL)
    for operand in (start, limit, delta):
        broadcasting.require_rank(operand, 0)
    if start.value is None or limit.value is None or delta.value is None:
        return TensorSpec([None], dtype)
    return TensorSpec([_range_length(start.value, limit.value, delta.value)], dtype)


def _range_length(start: Array, limit: Array, delta: Array) -> int:
    first, end, step = _number(start), _number(limit), _number(delta)
    if step == 0 or not math.isfinite((end - first) / step):
        raise ValueError(f"no finite range leads from {first} to {end} by {step}")
    if (end - first) / step < 0:
        raise ValueError(
            f"delta {step} leads away from limit {end}, starting at {first}; change "
            "its sign"
        )
    if start.dtype.kind in "iu":
        length = -((int(start) - int(limit)) // int(delta))
        if length >= 2**63:
            raise ValueError(f"the range has {length} elements, above {2**63 - 1}")
        return length
    # In the dtype's own precision, as in TensorFlow: float32 has 10 steps of 0.1 in 1.
    own = start.dtype.type
    steps: float = (own(end) - own(first)) / own(step)
    return math.ceil(steps)


def _number(scalar: Array) -> float:
    return int(scalar) if scalar.dtype.kind in "iu" else float(scalar)


def _range(xp: Any, start: Array, limit: Array, delta: Array) -> Any:
    steps = xp.arange(_range_length(start, limit, delta))
    return (_number(start) + steps * _number(delta)).astype(start.dtype)


def _infer_lin_space(start: Operand, stop: Operand, num: Operand) -> TensorSpec:
    dtype = broadcasting.require_same_dtype(start, stop)
    broadcasting.require_kind(start, broadcasting.FLOATING)
    broadcasting.require_rank(start, 0)
    broadcasting.require_rank(stop, 0)
    length = require_index_scalar(num)
    if length is not None and length <= 0:
        raise ValueError(f"num: expected 1 or more, got {length}")
    return TensorSpec([length], dtype)


def _lin_space(xp: Any, start: Array, stop: Array, num: Array) -> Any:
    if num <= 0:
        raise ValueError(f"num: expected 1 or more, got {num}")
    return xp.linspace(float(start), float(stop), int(num)).astype(start.dtype)


def _infer_one_hot(
    indices: Operand,
    depth: Operand,
    on_value: Operand,
    off_value: Operand,
    *,
    axis: int,
) -> TensorSpec:
    broadcasting.require_kind(indices, broadcasting.INTEGER)
    dtype = broadcasting.require_same_dtype(on_value, off_value)
    broadcasting.require_rank(on_value, 0)
    broadcasting.require_rank(off_value, 0)
    size = require_index_scalar(depth)
    if size is not None and size < 0:
        raise ValueError(f"depth: expected 0 or more, got {size}")
    if indices.shape.rank is None:
        return TensorSpec(None, dtype)
    sizes = list(indices.shape.as_tuple())
    sizes.insert(broadcasting.normalize_axis(axis, len(sizes) + 1), size)
    return TensorSpec(sizes, dtype)


def _one_hot(
    xp: Any,
    indices: Array,
    depth: Array,
    on_value: Array,
    off_value: Array,
    *,
    axis: int,
) -> Any:
    if depth < 0:
        raise ValueError(f"depth: expected 0 or more, got {depth}")
    axis = broadcasting.normalize_axis(axis, indices.ndim + 1)
    if xp is np:
        size, row = int(depth), indices.reshape(-1)
        result = np.full((row.size, size), off_value, off_value.dtype)
        (valid,) = np.nonzero((row >= 0) & (row < size))
        result[valid, row[valid]] = on_value
        return np.moveaxis(result.reshape(*indices.shape, size), -1, axis)
    classes = xp.arange(int(depth)).reshape([-1] + [1] * (indices.ndim - axis))
    return xp.where(xp.expand_dims(indices, axis) == classes, on_value, off_value)


_op = partial(OpDef, gradient="arrays")

RANGE = _op("Range", infer=_infer_range, meaning=_range)

OPERATIONS: tuple[OpDef, ...] = (
    _op("Fill", infer=_infer_fill, meaning=_fill),
    _op(
        "ZerosLike",
        infer=infer_same,
        compute=ieee(zeros_like),
        batching=OF_SHAPE,
        xla="arrays",
    ),
    _op("OnesLike", infer=_infer_ones_like, meaning=_ones_like, batching=OF_SHAPE),
    RANGE,
    _op("LinSpace", infer=_infer_lin_space, meaning=_lin_space, xla="arrays"),
    _op(
        "OneHot",
        infer=_infer_one_hot,
        meaning=_one_hot,
        batching=Batching(stacked=along(_one_hot)),
    ),
)
