"""Lowering of a program to JAX, instruction by instruction, for all replicas at once.

`runtime.meaning.lockstep` defines the results.  A slot holds a `Value`: one array while
all replicas share it, else an array stacked by replica.  Static values, such as sizes,
are computed by NumPy during lowering.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError, OpError
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.collectives import CROSS_REPLICA_SUM
from tpuref.engine.ops.control import IF, TOWER_COPY, WHILE
from tpuref.engine.ops.definition import Operand, Place, outputs_of
from tpuref.engine.ops.host import ASSERT
from tpuref.engine.ops.sources import FORWARDING
from tpuref.engine.ops.state import ASSIGN, ASSIGN_ADD, IS_INITIALIZED, READS, UPDATES
from tpuref.engine.ops.tpu import REPLICA_ID
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.divergence import absent_replicas
from tpuref.engine.runtime.meaning.lockstep import locate
from tpuref.engine.runtime.meaning.operation_failure import described, operation_failure
from tpuref.engine.runtime.meaning.state import uninitialized
from tpuref.engine.runtime.pool.host.program_facts import users_of
from tpuref.engine.runtime.xla.blocks import over_replicas, scalar, written
from tpuref.engine.runtime.xla.errors import data_dependent, explained, refusal
from tpuref.engine.runtime.xla.host_parts import HostPart
from tpuref.engine.runtime.xla.loops import Loop
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.rules.registry import CHECKS, RULES
from tpuref.engine.runtime.xla.rules.sums import fold
from tpuref.engine.runtime.xla.slots import Slots
from tpuref.engine.runtime.xla.value import Value, choose

Failure = tuple[Any, Any]
"""The number of the first failed check, 0 for none, and a flag for each replica."""
NOWHERE = CallSite("<program>", 0, "")
Describe = Callable[[list[int]], OpError]
"""Returns the error of a check that failed for some replicas."""


class Lowering:
    """One trace of a program by JAX.

    `draws` are the random numbers, in the order of `drawn`; None while that is
    determined.  `host` runs host parts.

    `drawn` lists the random operations that are drawn before the run, with their
    operands; `failures` describes the failure of each check; `failure` is the first
    failed check.  Host parts read and write it, which orders them.  `active` are the
    replicas that run the current branch or body, None for all.
    """

    def __init__(
        self,
        program: Program,
        placement: Placement,
        variables: Mapping[str, Value],
        draws: Sequence[Any] | None,
        host: Callable[..., Any],
    ) -> None:
        self.placement = placement
        self.replicas = placement.replicas
        self.variables = dict(variables)
        self.failures: list[Describe] = []
        self.failure: Failure = (
            jnp.zeros((), jnp.int32),
            self.placement.divided(jnp.zeros(self.replicas, jnp.bool_)),
        )
        self.drawn: list[tuple[Instr, list[Any]]] = []
        self.active: Value | None = None
        self.depth = 0
        self._draws = draws
        self.host = host
        self._own = _own_variables(program)

    # -- blocks ------------------------------------------------------------------

    def block(self, program: Program, inputs: Sequence[Value]) -> list[Value]:
        """Lower the instructions of a program and return its results."""
        slots = Slots(
            self.placement, dict(zip(program.parameters, inputs, strict=True))
        )
        waiting: list[Instr] = []
        ahead = self._draw_ahead(program) if self.depth else {}
        for slot, value in ahead.items():
            slots.put(slot, None, value)
        # Host instructions wait until a device instruction needs a result of theirs,
        # and then run as one part: a call of the host is expensive. The device
        # instructions between them do not read their results, so they may run first.
        for place, instr in enumerate(program.instrs):
            if not ahead.keys().isdisjoint(instr.outputs):
                continue
            if self._folds(instr, slots):
                self._write(instr, self._known(instr, slots), slots)
                continue
            if self._on_host(instr, slots) or _forwards(instr, waiting):
                waiting.append(instr)
                continue
            if waiting and (instr.blocks or _needs(instr, waiting)):
                self._call_host(waiting, program, place, slots)
                waiting = []
            if instr.op == TOWER_COPY.name:
                (slot,), attrs = instr.inputs, instr.attrs
                slots.copy(slot, attrs["source"], attrs["targets"])
                continue
            operands = [slots.value_for(slot, instr) for slot in instr.inputs]
            self._write(instr, self._lower_located(instr, operands), slots)
        if waiting:
            self._call_host(waiting, program, len(program.instrs), slots)
        end = Instr("Identity", program.name, (), (), {}, (), 0, NOWHERE)
        return [slots.value_for(slot, end) for slot in program.results]

    @contextlib.contextmanager
    def within(self, active: Value | None) -> Iterator[None]:
        """Lower a branch or body that only the active replicas run."""
        before = self.active
        self.active, self.depth = active, self.depth + 1
        try:
            yield
        finally:
            self.active, self.depth = before, self.depth - 1

    def _replica_value(self, instr: Instr, value: Value) -> Value:
        """Return the value for an instruction that one replica runs."""
        return value if instr.replica is None else value.of(instr.replica)

    def _write(self, instr: Instr, outputs: Sequence[Value], slots: Slots) -> None:
        for slot, value in zip(instr.outputs, outputs, strict=True):
            slots.put(slot, instr.replica, value)

    # -- one instruction ---------------------------------------------------------

    def _folds(self, instr: Instr, slots: Slots) -> bool:
        """Whether an instruction is computed during lowering."""
        definition = instr.definition
        if any(slot not in slots for slot in instr.inputs):
            return False  # a waiting host part produces it
        if definition.static is not None and definition.meaning is not None:
            return True  # of shapes alone
        values = [slots.value_for(slot, instr) for slot in instr.inputs]
        if definition is ASSERT:
            return values[0].is_shared_and_known and bool(np.all(values[0].array))
        return definition.foldable and all(v.is_shared_and_known for v in values)

    def _known(self, instr: Instr, slots: Slots) -> list[Value]:
        """Compute an instruction from static values."""
        if instr.definition is ASSERT:
            return []
        values = [slots.value_for(slot, instr) for slot in instr.inputs]
        arrays = [v.array if v.is_shared_and_known else _blank(v) for v in values]
        compute = instr.definition.compute
        assert compute is not None
        with explained(instr, values):
            outputs = outputs_of(compute(*arrays, **instr.attrs))
            return [
                Value(np.asarray(output, spec.dtype.np, order="C"), False)
                for output, spec in zip(outputs, instr.specs, strict=True)
            ]

    def _lower_located(self, instr: Instr, operands: list[Value]) -> Sequence[Value]:
        try:
            return self._lower(instr, operands)
        except OpError as error:
            locate(error, instr)
            raise

    def _lower(self, instr: Instr, operands: list[Value]) -> Sequence[Value]:
        definition = instr.definition
        if definition is IF:
            return self._if(instr, operands)
        if definition is WHILE:
            return Loop(self, instr, operands).lower()
        if definition in READS:
            return [self._read(instr.attrs["handle"])]
        if definition is IS_INITIALIZED:
            known = instr.attrs["handle"] in self.variables
            return [Value(np.asarray(known), False)]
        if definition is ASSIGN or definition in UPDATES:
            return [self._assign(instr, *operands)]
        if definition is CROSS_REPLICA_SUM:
            return [self._sum(instr, *operands)]
        if definition is REPLICA_ID:
            return [self._replica_id(instr)]
        if definition.random:
            return self._draw(instr, operands)
        return self._compute(instr, operands)

    def _replica_id(self, instr: Instr) -> Value:
        if instr.replica is not None or self.replicas == 1:
            return Value(np.asarray(instr.replica or 0, np.int32), False)
        every = jnp.arange(self.replicas, dtype=jnp.int32)
        return Value(self.placement.divided(every), True)

    def _compute(self, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
        """Lower a function of arrays, over one replica or over all of them."""
        rule = RULES.get(instr.op) or instr.definition.meaning
        for operand in operands:
            if operand.dtype == object:
                why = f"it takes text ({operand.dtype}{list(operand.shape)})"
                raise refusal(instr, why, codes.XLA_OPERATION)
        if rule is None:
            known = [TensorSpec(v.shape, as_dtype(v.dtype)) for v in operands]
            specs = self.specs(instr, known, operands)
            if not all(spec.shape.is_fully_defined() for spec in specs):
                raise data_dependent(instr, "the size of its output depends on data")
            raise refusal(instr, "it has no counterpart in XLA", codes.XLA_OPERATION)
        self._check(instr, operands)

        def outputs(*arrays: Any) -> list[Any]:
            given = outputs_of(rule(jnp, *arrays, **instr.attrs))
            return [
                jnp.asarray(array, spec.dtype.np)
                for array, spec in zip(given, instr.specs, strict=True)
            ]

        with explained(instr, operands):
            arrays, stacked = over_replicas(outputs, operands, self.placement)
        return [Value(array, stacked) for array in arrays]

    # -- checks of values --------------------------------------------------------

    def _check(self, instr: Instr, operands: Sequence[Value]) -> None:
        """Add checks of operand values to the run."""
        rule = CHECKS.get(instr.op)
        if rule is None:
            return
        said: list[tuple[str, str]] = []

        def wrong(*arrays: Any) -> list[Any]:
            said.clear()
            flags = []
            for flag, code, message in rule(*arrays, **instr.attrs):
                flags.append(flag)
                said.append((code, message))
            return flags

        with explained(instr, operands):
            flags, stacked = over_replicas(wrong, operands, self.placement)
        shapes = described(operands)
        for flag, (code, message) in zip(flags, said, strict=True):
            self.fail_where(
                instr, Value(flag, stacked), _description(instr, shapes, code, message)
            )

    def fail_where(self, instr: Instr, wrong: Value, describe: Describe) -> None:
        """Record a failure where the flag is true for an active replica."""
        flags = wrong.rows(self.replicas)
        if self.active is not None:
            flags = flags & self.active.rows(self.replicas)
        if instr.replica is not None:
            flags = flags & (np.arange(self.replicas) == instr.replica)
        # Compiled code cannot raise. The first failed check is an output of the
        # program, and the error is raised after the run.
        number, where = self.failure
        self.failures.append(describe)
        first = (number == 0) & jnp.any(flags)
        self.failure = (
            jnp.where(first, jnp.int32(len(self.failures)), number),
            jnp.where(first, flags, where),
        )

    # -- variables ---------------------------------------------------------------

    def _read(self, handle: str) -> Value:
        if handle not in self.variables:
            raise FailedPreconditionError(uninitialized(handle))
        return self.variables[handle]

    def _assign(self, instr: Instr, value: Value) -> Value:
        handle, replica = instr.attrs["handle"], instr.replica
        if instr.definition is not ASSIGN:
            old = self._replica_value(instr, self._read(handle))
            value = self._add_to(instr, old, value)
        known = instr.specs[0]
        if not known.shape.is_compatible_with(value.shape):
            raise InvalidArgumentError(
                f"the variable {handle!r} holds {known.describe()}, got shape "
                f"{list(value.shape)}",
                code=codes.VARIABLE_MISMATCH,
            )
        held = value
        if replica is not None and not self._own.get(handle, False):
            mine = Value(np.arange(self.replicas) == replica, True)
            held = choose(mine, held, self.variables.get(handle, held), self.replicas)
        if self.active is not None:
            if handle not in self.variables:
                why = f"it gives the variable {handle!r} its first value in a branch"
                raise refusal(instr, why, codes.XLA_OPERATION)
            held = choose(self.active, held, self.variables[handle], self.replicas)
        self.variables[handle] = held
        return value

    def _add_to(self, instr: Instr, old: Value, change: Value) -> Value:
        adds = instr.definition is ASSIGN_ADD
        combine = jnp.add if adds else jnp.subtract
        try:
            arrays, stacked = over_replicas(
                lambda a, b: [jnp.asarray(combine(a, b), old.dtype)],
                [old, change],
                self.placement,
            )
        except (ValueError, TypeError) as error:
            raise InvalidArgumentError(
                f"the variable {instr.attrs['handle']!r} holds {old.dtype}"
                f"{list(old.shape)}, got {change.dtype}{list(change.shape)}",
                code=codes.VARIABLE_MISMATCH,
            ) from error
        return Value(arrays[0], stacked)

    # -- between replicas --------------------------------------------------------

    def _sum(self, instr: Instr, value: Value) -> Value:
        """Add up each group's contributions in the order of the replicas."""
        groups = instr.attrs["groups"] or (tuple(range(self.replicas)),)
        # All replicas compute the sum, also those that skip this branch: a member
        # that is not active is an error, as it is in lockstep.
        if self.active is not None and self.active.stacked:
            self._check_present(instr, groups)
        if not value.stacked and len({len(group) for group in groups}) == 1:
            return Value(fold([value.array] * len(groups[0])), False)
        rows = value.rows(self.replicas)
        if len(groups) == 1:
            return Value(self.placement.total(rows), False)
        rows = self.placement.everywhere(rows)
        totals = [fold([rows[r] for r in sorted(group)]) for group in groups]
        member = {r: total for g, total in zip(groups, totals, strict=True) for r in g}
        every = jnp.stack([member[r] for r in range(self.replicas)])
        return Value(self.placement.divided(every), True)

    def _check_present(self, instr: Instr, groups: Sequence[Sequence[int]]) -> None:
        """Fail if only some replicas of a group reach a sum."""
        assert self.active is not None
        here = self.active.rows(self.replicas)
        for group in groups:
            members = np.zeros(self.replicas, np.bool_)
            members[list(group)] = True
            missing = jnp.any(members & ~here)
            self.fail_where(
                instr, Value(members & missing, True), _absence(instr, group)
            )

    # -- random numbers ----------------------------------------------------------

    def _draw(self, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
        """Return numbers that NumPy drew before the run, from lockstep's streams."""
        self.drawn.append((instr, [value.array for value in operands]))
        stacked = self.replicas > 1 and instr.replica is None
        if self._draws is not None:
            return [Value(self._draws[len(self.drawn) - 1], stacked)]
        known = [TensorSpec(v.shape, as_dtype(v.dtype)) for v in operands]
        (spec,) = self.specs(instr, known, operands)
        sizes = tuple(spec.shape.as_list())
        shape = (self.replicas, *sizes) if stacked else sizes
        return [Value(jnp.zeros(shape, spec.dtype.np), stacked)]

    def _draw_ahead(self, program: Program) -> dict[int, Value]:
        """Draw all numbers of static sizes in a body by one host call."""
        # A host call takes longer than most draws.
        instrs = [
            instr
            for instr in program.instrs
            if instr.definition.random
            and instr.replica is None
            and len(instr.inputs) == 1
            and "dtype" in instr.attrs
            and instr.specs[0].shape.is_fully_defined()
        ]
        if not instrs:
            return {}
        # Each has an input of its own, as one slot may hold the sizes of several.
        own = [
            replace(instr, inputs=(-1 - number,)) for number, instr in enumerate(instrs)
        ]
        sizes = {
            -1 - number: Value(
                np.array(instr.specs[0].shape.as_list(), np.int32), False
            )
            for number, instr in enumerate(instrs)
        }
        made = {slot for instr in instrs for slot in instr.outputs}
        slots = Slots(self.placement, sizes)
        return HostPart(self, own, made, set(), slots).lower(self)

    # -- branches ----------------------------------------------------------------

    def _if(self, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
        predicate, inputs = scalar(instr, operands[0]), list(operands[1:])
        first, second = instr.blocks
        if predicate.is_shared_and_known:
            return self.block(first if predicate.array else second, inputs)
        # A predicate that all replicas share becomes `lax.cond`. If replicas may take
        # different branches, both run and the results are selected.
        if predicate.stacked:
            return self._both(instr, predicate, inputs)
        handles = [h for h in written(instr.blocks) if h in self.variables]
        kinds: list[list[bool]] = []

        def branch(block: Program, stacked: Sequence[bool] | None) -> Callable[[], Any]:
            def traced() -> Any:
                before = dict(self.variables), self.failure
                with self.within(self.active):
                    found = self.block(block, inputs)
                    found += [self.variables[handle] for handle in handles]
                    failure = self.failure
                self.variables, self.failure = before
                kinds.append([value.stacked for value in found])
                self._refuse_text(instr, found)
                kept = kinds[-1] if stacked is None else stacked
                return [
                    value.as_stacked(kind, self.replicas)
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
        arrays, self.failure = jax.lax.cond(
            predicate.array, branch(first, stacked), branch(second, stacked)
        )
        values = [Value(a, kind) for a, kind in zip(arrays, stacked, strict=True)]
        count = len(first.results)
        self.variables.update(zip(handles, values[count:], strict=True))
        return values[:count]

    def _both(
        self, instr: Instr, predicate: Value, inputs: Sequence[Value]
    ) -> Sequence[Value]:
        """Lower both branches, each for the replicas that take it, and select."""
        found = []
        for taken, block in zip(
            (predicate.array, ~predicate.array), instr.blocks, strict=True
        ):
            with self.within(self.both_active(Value(taken, True))):
                found.append(self.block(block, inputs))
        for first, second in zip(*found, strict=True):
            if first.shape != second.shape:
                what = f"its branches give the shapes {first.shape} and {second.shape}"
                raise data_dependent(instr, what)
            self._refuse_text(instr, [first, second])
        return [
            choose(predicate, a, b, self.replicas) for a, b in zip(*found, strict=True)
        ]

    def both_active(self, mask: Value) -> Value:
        """Return the active replicas for which `mask` is true."""
        if self.active is None:
            return mask
        stacked = mask.stacked or self.active.stacked
        a, b = (v.as_stacked(stacked, self.replicas) for v in (mask, self.active))
        return Value(a & b, stacked)

    def _refuse_text(self, instr: Instr, values: Sequence[Value]) -> None:
        if any(value.dtype == object for value in values):
            raise refusal(instr, "a result of its blocks is text", codes.XLA_OPERATION)

    # -- the host ----------------------------------------------------------------

    def _on_host(self, instr: Instr, slots: Slots) -> bool:
        definition = instr.definition
        if instr.core == HOST or definition.place is Place.CALL or definition.printing:
            return True
        if not definition.random:
            return False
        return self.depth > 0 or not all(
            slot in slots and slots.value_for(slot, instr).is_known
            for slot in instr.inputs
        )

    def _call_host(
        self, instrs: list[Instr], program: Program, place: int, slots: Slots
    ) -> None:
        """Run consecutive instructions on the host, one part per replica."""
        later = {slot for instr in program.instrs[place:] for slot in instr.inputs}
        alone = any(instr.replica is not None for instr in instrs)
        joined = self.placement.processes > 1  # each has results of its own replicas
        apart = self.depth or alone or joined
        results = set() if apart else set(program.results)
        later.update(set() if results else program.results)
        start = 0
        for end in range(1, len(instrs) + 1):
            if end < len(instrs) and instrs[end].replica == instrs[start].replica:
                continue
            part, start = instrs[start:end], end
            wanted = later | {slot for instr in instrs[end:] for slot in instr.inputs}
            made = HostPart(self, part, wanted, results, slots).lower(self)
            for slot, value in made.items():
                slots.put(slot, part[0].replica, value)

    # -- what is known of outputs ------------------------------------------------

    def specs(
        self,
        instr: Instr,
        inputs: Sequence[TensorSpec | None],
        values: Sequence[Value | None],
    ) -> list[TensorSpec]:
        """Return the specs of the outputs for the actual shapes of the inputs."""
        if instr.blocks or None in inputs:
            return list(instr.specs)
        operands = [
            Operand(spec.shape, spec.dtype, _if_known(value))
            for spec, value in zip(inputs, values, strict=True)
            if spec is not None
        ]
        found = outputs_of(instr.definition.infer(*operands, **instr.attrs))
        return [
            TensorSpec(a.shape.merge_with(b.shape), a.dtype)
            for a, b in zip(found, instr.specs, strict=True)
        ]


def _if_known(value: Value | None) -> Any:
    if value is None or not value.is_shared_and_known:
        return None
    return value.array


def _own_variables(program: Program) -> dict[str, bool]:
    """Return for each variable whether only one replica uses it."""
    users = users_of(program.all_instrs())
    return {handle: len(own) == 1 and None not in own for handle, own in users.items()}


def _needs(instr: Instr, waiting: Sequence[Instr]) -> bool:
    made = {slot for one in waiting for slot in one.outputs}
    return not made.isdisjoint(instr.inputs)


def _forwards(instr: Instr, waiting: Sequence[Instr]) -> bool:
    """Whether an instruction only forwards a result of the waiting host part."""
    return instr.definition in FORWARDING and _needs(instr, waiting)


def _blank(value: Value) -> Any:
    """Return zeros shaped like a value, for computations that use only its shape."""
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)


def _description(instr: Instr, shapes: str, code: str, message: str) -> Describe:
    def describe(replicas: list[int]) -> OpError:
        said = codes.with_code(message, code)
        error = operation_failure(instr, shapes, replicas[0], said)
        locate(error, instr)
        return error

    return describe


def _absence(instr: Instr, group: Sequence[int]) -> Describe:
    def describe(present: list[int]) -> OpError:
        error = absent_replicas(instr.op, group, present)
        locate(error, instr)
        return error

    return describe
