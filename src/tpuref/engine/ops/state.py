"""Variables: reading and assigning them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, bool_
from tpuref.base.errors import InvalidArgumentError, coded
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array

Shape = tuple[int | None, ...] | None
"""The sizes of a variable, None where they are unknown."""

# -- what is known beforehand ------------------------------------------------------


def _variable(*, handle: str, dtype: str, shape: Shape) -> TensorSpec:
    return TensorSpec(TensorShape(shape), as_dtype(dtype))


def _infer_assign(
    value: Operand, *, handle: str, dtype: str, shape: Shape
) -> TensorSpec:
    variable = _variable(handle=handle, dtype=dtype, shape=shape)
    if value.dtype != variable.dtype:
        raise coded(
            TypeError,
            f"the variable {handle!r} holds {variable.describe()}, the value is "
            f"{value.describe()}; use tf.cast",
            code=codes.VARIABLE_MISMATCH,
        )
    if not value.shape.is_compatible_with(variable.shape):
        raise coded(
            ValueError,
            f"the variable {handle!r} holds {variable.describe()}, the value is "
            f"{value.describe()}; their shapes differ",
            code=codes.VARIABLE_MISMATCH,
        )
    return TensorSpec(variable.shape.merge_with(value.shape), variable.dtype)


def _infer_update(
    value: Operand, *, handle: str, dtype: str, shape: Shape
) -> TensorSpec:
    _infer_assign(value, handle=handle, dtype=dtype, shape=shape)
    return _variable(handle=handle, dtype=dtype, shape=shape)


def _infer_initialized(*, handle: str) -> TensorSpec:
    return TensorSpec(TensorShape([]), bool_)


# -- reading and assigning ---------------------------------------------------------


def _read(context: EffectContext, *, handle: str, dtype: str, shape: Shape) -> Array:
    return context.variables.read(handle)


def _is_initialized(context: EffectContext, *, handle: str) -> Array:
    return np.asarray(context.variables.is_initialized(handle))


def _assign(
    context: EffectContext, value: Array, *, handle: str, dtype: str, shape: Shape
) -> Array:
    known = context.instr.specs[0]
    if not known.shape.is_compatible_with(value.shape):
        raise InvalidArgumentError(
            f"the variable {handle!r} holds {known.describe()}, got shape "
            f"{list(value.shape)}",
            code=codes.VARIABLE_MISMATCH,
        )
    context.variables.write(handle, value)
    return value


def _assign_add(context: EffectContext, change: Array, **attrs: Any) -> Array:
    return _update(np.add, context, change, attrs)


def _assign_sub(context: EffectContext, change: Array, **attrs: Any) -> Array:
    return _update(np.subtract, context, change, attrs)


def _update(
    combine: np.ufunc, context: EffectContext, change: Array, attrs: dict[str, Any]
) -> Array:
    old = context.variables.read(attrs["handle"])
    try:
        with np.errstate(all="ignore"):
            new = np.asarray(combine(old, change), old.dtype)
    except (ValueError, TypeError) as error:  # another program changed its shape
        raise InvalidArgumentError(
            f"the variable {attrs['handle']!r} holds {old.dtype}{list(old.shape)}, got "
            f"{change.dtype}{list(change.shape)}",
            code=codes.VARIABLE_MISMATCH,
        ) from error
    return _assign(context, new, **attrs)


READ = OpDef("ReadVariableOp", _variable, effect=_read, reads="handle")
IS_INITIALIZED = OpDef(
    "IsVariableInitialized", _infer_initialized, effect=_is_initialized, reads="handle"
)
ASSIGN = OpDef("Assign", _infer_assign, effect=_assign, writes="handle")

READS = (OpDef("VariableV2", _variable, effect=_read, reads="handle"), READ)
"""The operations that give the value of a variable."""

ASSIGN_ADD = OpDef(
    "AssignAdd", _infer_update, effect=_assign_add, reads="handle", writes="handle"
)
ASSIGN_SUB = OpDef(
    "AssignSub", _infer_update, effect=_assign_sub, reads="handle", writes="handle"
)
UPDATES = {ASSIGN_ADD: np.add, ASSIGN_SUB: np.subtract}
"""The operations that change a variable by a value, and what combines the two."""

OF_VARIABLES = (ASSIGN, *READS, *UPDATES)
"""The operations that read, assign or change a variable."""

OPERATIONS: tuple[OpDef, ...] = (*READS, IS_INITIALIZED, ASSIGN, *UPDATES)
