"""Variables: values that the trace carries from instruction to instruction."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.engine.ops.definition import Access
from tpuref.engine.ops.state import check_shape
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.state import uninitialized
from tpuref.engine.runtime.xla.blocks import over_replicas
from tpuref.engine.runtime.xla.context import Context
from tpuref.engine.runtime.xla.errors import refusal
from tpuref.engine.runtime.xla.rules import Lower
from tpuref.engine.runtime.xla.value import Value, choose


def _read(context: Context, instr: Instr, operands: Sequence[Value]) -> list[Value]:
    value = _value(context, instr.attrs["handle"])
    return [value if instr.replica is None else value.of(instr.replica)]


def _value(context: Context, handle: str) -> Value:
    if handle not in context.variables:
        raise FailedPreconditionError(uninitialized(handle))
    return context.variables[handle]


def _assign(context: Context, instr: Instr, operands: Sequence[Value]) -> list[Value]:
    (value,), handle, replica = operands, instr.attrs["handle"], instr.replica
    if instr.definition.effects.access is Access.UPDATE:
        old = _value(context, handle)
        old = old if replica is None else old.of(replica)
        value = _update(context, instr, old, value)
    check_shape(handle, instr.specs[0], value.shape)
    held = value
    if replica is not None and not context.own.get(handle, False):
        mine = Value(np.arange(context.replicas) == replica, True)
        held = choose(mine, held, context.variables.get(handle, held), context.replicas)
    if context.active is not None:
        if handle not in context.variables:
            why = f"it gives the variable {handle!r} its first value in a branch"
            raise refusal(instr, why, codes.XLA_OPERATION)
        held = choose(context.active, held, context.variables[handle], context.replicas)
    context.variables[handle] = held
    return [value]


def _update(context: Context, instr: Instr, old: Value, change: Value) -> Value:
    combine = instr.definition.effects.combine
    assert combine is not None
    function = getattr(jnp, combine.__name__)
    try:
        arrays, stacked = over_replicas(
            lambda a, b: [jnp.asarray(function(a, b), old.dtype)],
            [old, change],
            context.placement,
        )
    except (ValueError, TypeError) as error:
        raise InvalidArgumentError(
            f"the variable {instr.attrs['handle']!r} holds {old.dtype}"
            f"{list(old.shape)}, got {change.dtype}{list(change.shape)}",
            code=codes.VARIABLE_MISMATCH,
        ) from error
    return Value(arrays[0], stacked)


def _is_initialized(
    context: Context, instr: Instr, operands: Sequence[Value]
) -> list[Value]:
    return [Value(np.asarray(instr.attrs["handle"] in context.variables), False)]


LOWERINGS: dict[str, Lower] = {
    "VariableV2": _read,
    "ReadVariableOp": _read,
    "IsVariableInitialized": _is_initialized,
    "Assign": _assign,
    "AssignAdd": _assign,
    "AssignSub": _assign,
}
