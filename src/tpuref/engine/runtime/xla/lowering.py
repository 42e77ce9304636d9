"""Lowering of a program to JAX, instruction by instruction, for all replicas at once.

`runtime.meaning.lockstep` defines the results.  A slot holds a `Value`: one array while
all replicas share it, else an array stacked by replica.  Static values, such as sizes,
are computed by NumPy during lowering.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import OpError
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import Flow, Place, outputs_of
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.lockstep import locate
from tpuref.engine.runtime.meaning.operation_failure import described, operation_failure
from tpuref.engine.runtime.xla.blocks import over_replicas
from tpuref.engine.runtime.xla.chains import Chains
from tpuref.engine.runtime.xla.context import Context, Describe
from tpuref.engine.runtime.xla.errors import data_dependent, explained, refusal
from tpuref.engine.runtime.xla.host_parts import HostPart
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.rules.registry import CHECKS, LOWERINGS, RULES
from tpuref.engine.runtime.xla.slots import Slots
from tpuref.engine.runtime.xla.totals import TOTALS
from tpuref.engine.runtime.xla.value import Value

NOWHERE = CallSite("<program>", 0, "")


class Lowering(Context):
    """One trace of a program by JAX.

    `draws` are the random numbers, in the order of `drawn`; None while that is
    determined.
    """

    host_part: type[HostPart] = HostPart

    def __init__(
        self,
        program: Program,
        placement: Placement,
        variables: Mapping[str, Value],
        draws: Sequence[Any] | None,
        host: Callable[..., Any],
    ) -> None:
        super().__init__(program, placement, variables, host)
        self._draws = draws

    # -- blocks ------------------------------------------------------------------

    def block(self, program: Program, inputs: Sequence[Value]) -> list[Value]:
        """Lower the instructions of a program and return its results."""
        slots = Slots(
            self.placement, dict(zip(program.parameters, inputs, strict=True))
        )
        waiting: list[Instr] = []
        chains = Chains(program)
        ahead = self._draw_ahead(program) if self.depth else {}
        for slot, value in ahead.items():
            slots.put(slot, None, value)
        # Host instructions wait until a device instruction needs a result of theirs,
        # and then run as one part: a call of the host is expensive. The device
        # instructions between them do not read their results, so they may run first.
        for place, instr in enumerate(program.instrs):
            if instr.is_filler or not ahead.keys().isdisjoint(instr.outputs):
                continue
            awaits = _needs(instr, waiting)
            forwards = awaits and instr.definition.traits.forwards
            on_host = self._on_host(instr, slots) or forwards
            if waiting and (instr.blocks or awaits) and not on_host:
                self._call_host(waiting, program, place, slots)
                waiting = []
            if self._folds(instr, slots):
                self._write(instr, self._compute_now(instr, slots), slots)
                continue
            if on_host:
                waiting.append(instr)
                continue
            if instr.definition.flow is Flow.COPY:
                (slot,), attrs = instr.inputs, instr.attrs
                slots.copy(slot, attrs["source"], attrs["targets"])
                continue
            operands = [slots.value_for(slot, instr) for slot in instr.inputs]
            outputs = self._lower_located(instr, operands)
            self._write(instr, chains.cut(instr, outputs), slots)
        if waiting:
            self._call_host(waiting, program, len(program.instrs), slots)
        end = Instr("Identity", program.name, (), (), {}, (), 0, NOWHERE)
        return [slots.value_for(slot, end) for slot in program.results]

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
        if definition.traits.asserts:
            return values[0].is_shared_and_known and bool(np.all(values[0].array))
        return definition.foldable and all(v.is_shared_and_known for v in values)

    def _compute_now(self, instr: Instr, slots: Slots) -> list[Value]:
        """Compute an instruction from static values."""
        if instr.definition.traits.asserts:
            return []
        values = [slots.value_for(slot, instr) for slot in instr.inputs]
        arrays = [v.array if v.is_shared_and_known else _blank(v) for v in values]
        compute = instr.definition.kernel
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
        lowering = LOWERINGS.get(instr.op)
        if lowering is not None:
            return lowering(self, instr, operands)
        if instr.definition.traits.random:
            return self._draw(instr, operands)
        return self._compute(instr, operands)

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
            results = outputs_of(rule(jnp, *arrays, **instr.attrs))
            return [
                array
                if isinstance(array, jax.Array) and array.dtype == spec.dtype.np
                else jnp.asarray(array, spec.dtype.np)
                for array, spec in zip(results, instr.specs, strict=True)
            ]

        with explained(instr, operands):
            arrays, stacked = over_replicas(
                outputs, operands, self.placement, instr.definition.batching.broadcasts
            )
        if not stacked or instr.op not in TOTALS:
            return [Value(array, stacked) for array in arrays]
        total = TOTALS[instr.op](self.placement, operands, instr.attrs)
        return [Value(arrays[0], stacked, total)]

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
            if instr.definition.traits.random
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

    # -- the host ----------------------------------------------------------------

    def _on_host(self, instr: Instr, slots: Slots) -> bool:
        definition = instr.definition
        if (
            instr.core == HOST
            or definition.place is Place.CALL
            or definition.traits.printing
        ):
            return True
        if not definition.traits.random:
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
            made = self.host_part(self, part, wanted, results, slots).lower(self)
            for slot, value in made.items():
                slots.put(slot, part[0].replica, value)


def _needs(instr: Instr, waiting: Sequence[Instr]) -> bool:
    made = {slot for one in waiting for slot in one.outputs}
    return not made.isdisjoint(instr.inputs)


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
