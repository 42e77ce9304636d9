"""Branches and loops."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from tpuref.base import error_codes as codes
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.xla.blocks import scalar, written
from tpuref.engine.runtime.xla.context import Context, Failure
from tpuref.engine.runtime.xla.errors import data_dependent, refusal
from tpuref.engine.runtime.xla.loops import Loop
from tpuref.engine.runtime.xla.rules import Lower
from tpuref.engine.runtime.xla.value import Value, choose


def _branch(
    context: Context, instr: Instr, operands: Sequence[Value]
) -> Sequence[Value]:
    predicate, inputs = scalar(instr, operands[0]), list(operands[1:])
    if predicate.is_shared_and_known:
        first, second = instr.blocks
        return context.block(first if predicate.array else second, inputs)
    # A predicate that all replicas share becomes `lax.cond`. If replicas may take
    # different branches, both run and the results are selected.
    if predicate.stacked:
        return _both(context, instr, predicate, inputs)
    return _Conditional(context, instr, inputs).lower(predicate.array)


class _Conditional:
    """A branch that all replicas take together, as `lax.cond`.

    Its results are those of the blocks, then the variables that the blocks write.
    """

    def __init__(self, context: Context, instr: Instr, inputs: Sequence[Value]) -> None:
        self._context, self._instr, self._inputs = context, instr, inputs
        self._handles = [h for h in written(instr.blocks) if h in context.variables]

    def lower(self, predicate: Any) -> Sequence[Value]:
        """Return the results of the branch, and set the variables."""
        # Both branches of `cond` must return the same types. A first tracing tells
        # which results are stacked; those are stacked in both branches.
        context = self._context
        first, second = map(self._types, self._instr.blocks)
        _refuse_shapes(self._instr, first, second)
        kinds = [a.stacked or b.stacked for a, b in zip(first, second, strict=True)]
        arrays, context.failure = jax.lax.cond(
            predicate, *[partial(self._arrays, b, kinds) for b in self._instr.blocks]
        )
        values = [Value(a, kind) for a, kind in zip(arrays, kinds, strict=True)]
        count = len(values) - len(self._handles)
        context.variables.update(zip(self._handles, values[count:], strict=True))
        return values[:count]

    def _types(self, block: Program) -> list[Value]:
        """Return the results of a block, with types instead of arrays."""
        kinds: list[bool] = []

        def arrays() -> list[Any]:
            values, _ = self._run(block)
            kinds[:] = [value.stacked for value in values]
            return [jnp.asarray(value.array) for value in values]

        types = jax.eval_shape(arrays)
        return [Value(*each) for each in zip(types, kinds, strict=True)]

    def _arrays(self, block: Program, kinds: Sequence[bool]) -> tuple[list[Any], Any]:
        """Return the results of a block, stacked as in `kinds`, and its failure."""
        values, failure = self._run(block)
        pairs, replicas = zip(values, kinds, strict=True), self._context.replicas
        return [value.as_stacked(kind, replicas) for value, kind in pairs], failure

    def _run(self, block: Program) -> tuple[list[Value], Failure]:
        context = self._context
        with context.trial(), context.within(context.active):
            values = context.block(block, self._inputs)
            values += [context.variables[handle] for handle in self._handles]
            failure = context.failure
        _refuse_text(self._instr, values)
        return values, failure


def _both(
    context: Context, instr: Instr, predicate: Value, inputs: Sequence[Value]
) -> Sequence[Value]:
    """Lower both branches, each for the replicas that take it, and select."""
    branches = []
    for taken, block in zip(
        (predicate.array, ~predicate.array), instr.blocks, strict=True
    ):
        with context.within(context.both_active(Value(taken, True))):
            branches.append(context.block(block, inputs))
    _refuse_shapes(instr, *branches)
    _refuse_text(instr, [value for values in branches for value in values])
    return [
        choose(predicate, a, b, context.replicas)
        for a, b in zip(*branches, strict=True)
    ]


def _refuse_shapes(
    instr: Instr, first: Sequence[Value], second: Sequence[Value]
) -> None:
    """Raise an error if the results of two blocks differ in shape."""
    for a, b in zip(first, second, strict=True):
        if a.shape != b.shape:
            what = f"its branches give the shapes {a.shape} and {b.shape}"
            raise data_dependent(instr, what)


def _refuse_text(instr: Instr, values: Sequence[Value]) -> None:
    if any(value.dtype == object for value in values):
        raise refusal(instr, "a result of its blocks is text", codes.XLA_OPERATION)


def _loop(context: Context, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
    return Loop(context, instr, operands).lower()


LOWERINGS: dict[str, Lower] = {"If": _branch, "While": _loop}
