"""Operations that select elements by a condition."""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_, int64
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import (
    ANY,
    NUMERIC_OR_BOOL,
    broadcast_same_dtype,
    broadcast_shape,
    describe_all,
    require_kind,
    require_same_dtype,
)
from tpuref.engine.ops.definition import ELEMENTWISE, OpDef, Operand
from tpuref.engine.ops.joining import merged_shape
from tpuref.engine.ops.meaning import Array, ieee


def _infer_select(condition: Operand, x: Operand, y: Operand) -> TensorSpec:
    require_boolean(condition)
    dtype = require_same_dtype(x, y)
    shape = merged_shape([x, y])
    if condition.shape.rank is None or shape.rank is None:
        return TensorSpec(shape, dtype)
    if condition.shape.rank == 1 and shape.rank > 1:
        fits = condition.shape.is_compatible_with(shape[:1])
    else:
        fits = condition.shape.rank == 0 or condition.shape.is_compatible_with(shape)
    if not fits:
        raise ValueError(
            "condition: expected the shape of x, or a vector with one value for each "
            f"row of x, got {describe_all(condition, x)}; tf.where_v2 broadcasts"
        )
    return TensorSpec(shape, dtype)


def require_boolean(operand: Operand) -> None:
    """Raise TypeError unless the operand is boolean."""
    if operand.dtype != bool_:
        raise TypeError(f"expected a bool condition, got {operand.describe()}")


def _select(xp: Any, condition: Array, x: Array, y: Array) -> Any:
    rows = condition.ndim == 1 and condition.shape == x.shape[:1]
    if x.shape != y.shape or not (rows or condition.shape in ((), x.shape)):
        raise ValueError("expected x and y of equal shape, and a condition that fits")
    if rows:
        condition = condition.reshape(x.shape[:1] + (1,) * (x.ndim - 1))
    return xp.where(condition, x, y)


def _infer_select_v2(condition: Operand, x: Operand, y: Operand) -> TensorSpec:
    require_boolean(condition)
    dtype = broadcast_same_dtype(x, y, kind=ANY).dtype
    return TensorSpec(broadcast_shape(condition, x, y), dtype)


def _select_v2(xp: Any, condition: Array, x: Array, y: Array) -> Any:
    return xp.where(condition, x, y)


def _infer_where(condition: Operand) -> TensorSpec:
    require_kind(condition, NUMERIC_OR_BOOL)
    return TensorSpec([None, condition.shape.rank], int64)


def _where(condition: Array) -> Array:
    return np.argwhere(condition).astype(np.int64)


_op = partial(OpDef, gradient="arrays")

OPERATIONS: tuple[OpDef, ...] = (
    _op("Select", infer=_infer_select, meaning=_select),
    _op("SelectV2", _infer_select_v2, _select_v2, batching=ELEMENTWISE),
    _op("Where", infer=_infer_where, compute=ieee(_where)),
)
