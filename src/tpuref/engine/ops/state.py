"""Variables: reading and assigning them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, bool_
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext
from tpuref.engine.ops.definition import Access, Effects, OpDef, Operand
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
        raise codes.VARIABLE_MISMATCH.type_error(
            f"the variable {handle!r} holds {variable.describe()}, the value is "
            f"{value.describe()}; use tf.cast"
        )
    if not value.shape.is_compatible_with(variable.shape):
        raise codes.VARIABLE_MISMATCH.value_error(
            f"the variable {handle!r} holds {variable.describe()}, the value is "
            f"{value.describe()}; their shapes differ"
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
    check_shape(handle, context.instr.specs[0], value.shape)
    context.variables.write(handle, value)
    return value


def check_shape(handle: str, known: TensorSpec, shape: Sequence[int]) -> None:
    """Raise InvalidArgumentError unless a variable may hold a value of this shape."""
    if not known.shape.is_compatible_with(shape):
        raise InvalidArgumentError(
            f"the variable {handle!r} holds {known.describe()}, got shape "
            f"{list(shape)}",
            code=codes.VARIABLE_MISMATCH,
        )


def _update(context: EffectContext, change: Array, **attrs: Any) -> Array:
    combine = context.instr.definition.effects.combine
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


_op = partial(OpDef, gradient="effects", xla="variables")
_READ = Effects(_read, reads="handle", access=Access.READ)
_UPDATE = Effects(_update, reads="handle", writes="handle", access=Access.UPDATE)

READ = _op("ReadVariableOp", _variable, effects=_READ)
IS_INITIALIZED = _op(
    "IsVariableInitialized",
    _infer_initialized,
    effects=Effects(_is_initialized, reads="handle"),
)
ASSIGN = _op(
    "Assign",
    _infer_assign,
    effects=Effects(_assign, writes="handle", access=Access.ASSIGN),
)

OPERATIONS: tuple[OpDef, ...] = (
    _op("VariableV2", _variable, effects=_READ),
    READ,
    IS_INITIALIZED,
    ASSIGN,
    _op("AssignAdd", _infer_update, effects=replace(_UPDATE, combine=np.add)),
    _op("AssignSub", _infer_update, effects=replace(_UPDATE, combine=np.subtract)),
)
