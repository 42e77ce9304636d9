"""Variables: reading and assigning them.  The interpreter carries these out."""

from __future__ import annotations

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, bool_
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.ops.definition import OpDef, Operand


def _variable(*, handle: str, dtype: str, shape: Any) -> TensorSpec:
    return TensorSpec(TensorShape(shape), as_dtype(dtype))


def _assigned(value: Operand, *, handle: str, dtype: str, shape: Any) -> TensorSpec:
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
            f"{value.describe()}, which is of another shape",
            code=codes.VARIABLE_MISMATCH,
        )
    return TensorSpec(variable.shape.merge_with(value.shape), variable.dtype)


def _updated(value: Operand, *, handle: str, dtype: str, shape: Any) -> TensorSpec:
    _assigned(value, handle=handle, dtype=dtype, shape=shape)
    return _variable(handle=handle, dtype=dtype, shape=shape)


def _initialized(*, handle: str) -> TensorSpec:
    return TensorSpec(TensorShape([]), bool_)


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("VariableV2", infer=_variable, stateful=True),
    OpDef("ReadVariableOp", infer=_variable, stateful=True),
    OpDef("Assign", infer=_assigned, stateful=True),
    OpDef("AssignAdd", infer=_updated, stateful=True),
    OpDef("AssignSub", infer=_updated, stateful=True),
    OpDef("IsVariableInitialized", infer=_initialized, stateful=True),
)
