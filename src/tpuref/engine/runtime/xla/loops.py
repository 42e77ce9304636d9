"""Loops: ``lax.while_loop`` over the state that changes between iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.engine.program import Instr
from tpuref.engine.runtime.xla.blocks import as_function, over_replicas, scalar, written
from tpuref.engine.runtime.xla.context import Context
from tpuref.engine.runtime.xla.errors import data_dependent, refusal
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value, choose

LARGEST_UNROLLED = 1000
"""The largest number of iterations that are unrolled."""

MOST_PEELED = 4
"""The number of iterations that may be peeled off until shapes are constant."""

State = Sequence[Value]
"""The loop variables, then the variables that the loop writes."""


class Loop:
    """One loop being lowered; `operands` are the loop variables and captured values."""

    def __init__(
        self, context: Context, instr: Instr, operands: Sequence[Value]
    ) -> None:
        self._context = context
        self._instr = instr
        self._condition, self._body = instr.blocks
        self._split: int = instr.attrs["loop_variables"]
        self._limit: int | None = instr.attrs["maximum_iterations"]
        self._values = list(operands[: self._split])
        self._captured = list(operands[self._split :])
        self._handles = [h for h in written(instr.blocks) if h in context.variables]
        self._outer = context.active

    def lower(self) -> Sequence[Value]:
        """Lower the loop; return its outputs."""
        if len(self._instr.specs) > self._split:
            return self._unroll()
        if any(value.dtype == object for value in self._values):
            raise refusal(self._instr, "a loop variable is text", codes.XLA_OPERATION)
        # XLA's loop needs constant shapes. A loop variable often has its final shape
        # only after an iteration or two, such as one that starts empty; those are
        # peeled off, provided the predicate is static.
        for _ in range(MOST_PEELED):
            if self._limit == 0:
                return self._values
            turn = self._trace_turn()
            if turn is not None:
                return self._lower_loop(turn)
            if not self._known_to_go_on("a loop variable changes its shape"):
                return self._values
            self._values = self._run_body(self._values)[: self._split]
            self._limit = None if self._limit is None else self._limit - 1
        raise data_dependent(self._instr, "a loop variable changes its shape")

    def _test(self, values: State) -> Value:
        inputs = [*values, *self._captured]
        return scalar(self._instr, self._context.block(self._condition, inputs)[0])

    def _run_body(self, values: State) -> list[Value]:
        return self._context.block(self._body, [*values, *self._captured])

    # -- unrolled iterations -----------------------------------------------------

    def _known_to_go_on(self, what: str, assumed: bool = False) -> bool:
        predicate = self._test(self._values)
        if not predicate.is_shared_and_known:
            if assumed:
                return True
            raise data_dependent(
                self._instr, f"{what}, and the number of turns is computed from data"
            )
        return bool(predicate.array)

    def _unroll(self) -> Sequence[Value]:
        """Unroll a loop with residuals, whose iteration count must be static."""
        specs = self._instr.specs[self._split :]
        kept: list[list[Value]] = [[] for _ in specs]
        turns, assumed = 0, self._context.assumes_limit and self._limit is not None
        while self._limit is None or turns < self._limit:
            if not self._known_to_go_on("the values of all turns are kept", assumed):
                break
            if turns == LARGEST_UNROLLED:
                why = f"it keeps the values of more than {turns} turns"
                raise refusal(self._instr, why, codes.XLA_OPERATION)
            after = self._run_body(self._values)
            self._values = after[: self._split]
            for column, value in zip(kept, after[self._split :], strict=True):
                column.append(value)
            turns += 1
        ends = [
            _concatenate(column, spec.dtype.np, self._context.placement)
            for column, spec in zip(kept, specs, strict=True)
        ]
        return [*self._values, *ends]

    # -- one loop of XLA ---------------------------------------------------------

    def _state(self, values: State) -> list[Value]:
        variables = self._context.variables
        return [*values, *(variables[handle] for handle in self._handles)]

    def _restore(self, arrays: Sequence[Any], kinds: Sequence[bool]) -> list[Value]:
        """Set the variables, and return the loop variables."""
        values = [Value(a, kind) for a, kind in zip(arrays, kinds, strict=True)]
        self._context.variables.update(
            zip(self._handles, values[self._split :], strict=True)
        )
        return values[: self._split]

    def _goes_on(self, values: State, turn: Any) -> Value:
        """Return whether active replicas run another iteration."""
        context, within = self._context, self._outer
        if self._limit is not None:
            within = context.both_active(Value(jnp.asarray(turn < self._limit), False))
        with context.within(within):
            predicate = self._test(values)
        if predicate.stacked:
            with context.within(within):
                return context.both_active(predicate)
        going = jnp.asarray(predicate.array)
        return Value(going if within is None else going & jnp.any(within.array), False)

    def _first(self, kinds: _Kinds) -> Any:
        """Return the initial carry."""
        context = self._context
        turn = jnp.zeros((), jnp.int64)
        going = self._goes_on(self._values, turn)
        arrays = self._arrays(self._state(self._values), kinds.state)
        if kinds.apart:
            return turn, going.rows(context.replicas), arrays, context.failure
        return turn, going.array, arrays, context.failure

    def _arrays(self, state: State, kinds: Sequence[bool]) -> list[Any]:
        return [
            value.as_stacked(kind or value.stacked, self._context.replicas)
            for value, kind in zip(state, kinds, strict=True)
        ]

    def _turn(self, kinds: _Kinds, after: list[Value], carry: Any) -> Any:
        """Lower one iteration; `after` receives its predicate and its state."""
        context = self._context
        turn, going, arrays, context.failure = carry
        values = self._restore(arrays, kinds.state)
        mask = Value(going, True)
        with context.within(context.both_active(mask) if kinds.apart else self._outer):
            turned = self._run_body(values)
        # Replicas that have left keep their values while others go on.
        if kinds.apart:
            turned = [
                choose(mask, new, old, context.replicas)
                if new.shape == old.shape
                else new
                for new, old in zip(turned, values, strict=True)
            ]
        goes_on = self._goes_on(turned, turn + 1)
        if kinds.apart:
            goes_on = Value(goes_on.rows(context.replicas) & going, True)
        state = self._state(turned)
        after += [goes_on, *state]
        arrays = self._arrays(state, kinds.state)
        return turn + 1, goes_on.array, arrays, context.failure

    def _trace_turn(self) -> _Turn | None:
        """Trace one iteration; None if a loop variable changes its shape."""
        # The carry of `while_loop` has fixed types, but whether a part of the state is
        # stacked follows only from lowering the body: a shared counter stays shared
        # unless something stacked is added to it. Start with the initial kinds, lower
        # an iteration, and repeat with the kinds of its results until they no longer
        # change. Kinds change only from shared to stacked, so this ends.
        before = self._state(self._values)
        kinds = _Kinds([value.stacked for value in before], False)
        while True:
            carry = self._types(kinds)
            if carry[1].ndim and not kinds.apart:  # replicas differ before the loop
                kinds = _Kinds([True] * len(before), True)
                continue
            function, going, after = self._trace(kinds, carry)
            if list(map(_type, after)) != list(map(_type, before)):
                return None
            needed = kinds.joined(going, after)
            if needed == kinds:
                return _Turn(kinds, function)
            kinds = needed

    def _types(self, kinds: _Kinds) -> Any:
        """Return the types of the initial carry."""
        with self._context.trial():
            return jax.eval_shape(partial(self._first, kinds))

    def _trace(
        self, kinds: _Kinds, carry: Any
    ) -> tuple[Callable[..., Any], Value, list[Value]]:
        """Return one iteration as a function, its predicate and the state after it."""
        after: list[Value] = []
        lower = partial(self._turn, kinds, after)
        with self._context.trial():
            traced, form = jax.make_jaxpr(lower, return_shape=True)(carry)
        going, *state = after
        return as_function(traced, form), going, state

    def _lower_loop(self, turn: _Turn) -> Sequence[Value]:
        context = self._context
        _, _, arrays, failure = jax.lax.while_loop(
            lambda carry: jnp.any(carry[1]) & (carry[3][0] == 0),
            turn.function,
            self._first(turn.kinds),
        )
        values = self._restore(arrays, turn.kinds.state)
        context.failure = failure
        return values


class _Kinds(NamedTuple):
    """Which of the state is stacked, and whether replicas leave the loop one by one."""

    state: list[bool]
    apart: bool

    def joined(self, going: Value, after: State) -> _Kinds:
        """Return the kinds that hold the values after an iteration, too."""
        apart = self.apart or going.stacked
        pairs = zip(self.state, after, strict=True)
        return _Kinds([apart or kind or v.stacked for kind, v in pairs], apart)


class _Turn(NamedTuple):
    """One traced iteration."""

    kinds: _Kinds
    function: Callable[..., Any]


def _type(value: Value) -> tuple[Any, ...]:
    return value.shape, value.dtype


def _concatenate(
    column: Sequence[Value], dtype: np.dtype[Any], placement: Placement
) -> Value:
    """Concatenate the flattened values of all iterations."""

    def joined(*arrays: Any) -> list[Any]:
        flat = [jnp.reshape(array, -1) for array in arrays]
        return [jnp.concatenate([jnp.zeros(0, dtype), *flat])]

    arrays, stacked = over_replicas(joined, column, placement)
    return Value(arrays[0], stacked)
