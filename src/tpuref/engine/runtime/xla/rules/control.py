"""Branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from tpuref.base import error_codes as codes
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.xla.blocks import scalar, written
from tpuref.engine.runtime.xla.context import Context
from tpuref.engine.runtime.xla.errors import data_dependent, refusal
from tpuref.engine.runtime.xla.loops import Loop
from tpuref.engine.runtime.xla.rules import Lower
from tpuref.engine.runtime.xla.value import Value, choose


def _branch(
    context: Context, instr: Instr, operands: Sequence[Value]
) -> Sequence[Value]:
    predicate, inputs = scalar(instr, operands[0]), list(operands[1:])
    first, second = instr.blocks
    if predicate.is_shared_and_known:
        return context.block(first if predicate.array else second, inputs)
    # A predicate that all replicas share becomes `lax.cond`. If replicas may take
    # different branches, both run and the results are selected.
    if predicate.stacked:
        return _both(context, instr, predicate, inputs)
    handles = [h for h in written(instr.blocks) if h in context.variables]
    kinds: list[list[bool]] = []

    def branch(block: Program, stacked: Sequence[bool] | None) -> Callable[[], Any]:
        def traced() -> Any:
            before = dict(context.variables), context.failure
            with context.within(context.active):
                found = context.block(block, inputs)
                found += [context.variables[handle] for handle in handles]
                failure = context.failure
            context.variables, context.failure = before
            kinds.append([value.stacked for value in found])
            _refuse_text(instr, found)
            kept = kinds[-1] if stacked is None else stacked
            return [
                value.as_stacked(kind, context.replicas)
                for value, kind in zip(found, kept, strict=True)
            ], failure

        return traced

    # Both branches of `cond` must return the same types. A first tracing tells
    # which results are stacked; those are stacked in both branches.
    first_arrays, second_arrays = (
        jax.eval_shape(branch(block, None))[0] for block in (first, second)
    )
    stacked = [a or b for a, b in zip(*kinds[:2], strict=True)]
    for number in range(len(stacked)):
        shapes = [
            Value(arrays[number], kinds[side][number]).shape
            for side, arrays in enumerate((first_arrays, second_arrays))
        ]
        if shapes[0] != shapes[1]:
            raise data_dependent(
                instr, f"its branches give the shapes {shapes[0]} and {shapes[1]}"
            )
    arrays, context.failure = jax.lax.cond(
        predicate.array, branch(first, stacked), branch(second, stacked)
    )
    values = [Value(a, kind) for a, kind in zip(arrays, stacked, strict=True)]
    count = len(first.results)
    context.variables.update(zip(handles, values[count:], strict=True))
    return values[:count]


def _both(
    context: Context, instr: Instr, predicate: Value, inputs: Sequence[Value]
) -> Sequence[Value]:
    """Lower both branches, each for the replicas that take it, and select."""
    found = []
    for taken, block in zip(
        (predicate.array, ~predicate.array), instr.blocks, strict=True
    ):
        with context.within(context.both_active(Value(taken, True))):
            found.append(context.block(block, inputs))
    for first, second in zip(*found, strict=True):
        if first.shape != second.shape:
            what = f"its branches give the shapes {first.shape} and {second.shape}"
            raise data_dependent(instr, what)
        _refuse_text(instr, [first, second])
    return [
        choose(predicate, a, b, context.replicas) for a, b in zip(*found, strict=True)
    ]


def _refuse_text(instr: Instr, values: Sequence[Value]) -> None:
    if any(value.dtype == object for value in values):
        raise refusal(instr, "a result of its blocks is text", codes.XLA_OPERATION)


def _loop(context: Context, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
    return Loop(context, instr, operands).lower()


LOWERINGS: dict[str, Lower] = {"If": _branch, "While": _loop}
