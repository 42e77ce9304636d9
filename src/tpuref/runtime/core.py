"""What one core does with a program.

A program is prepared once: each instruction becomes a step, a function that reads and
writes the core's values.  A run calls the steps in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from tpuref.base.errors import OpError
from tpuref.ops.control import IF, TOWER_COPY, WHILE, joined, nothing_kept
from tpuref.ops.definition import OpDef, Place
from tpuref.ops.meaning import Array
from tpuref.ops.sources import CONST
from tpuref.program import HOST, Instr, Program
from tpuref.runtime.core_events import (
    BLOCK,
    COLLECTIVE,
    HOST_CALL,
    OPERATION,
    RECEIVE,
    SEND,
    TO_CORE,
    TO_REPLICA,
    CoreEvents,
    Label,
    Peer,
)
from tpuref.runtime.core_feed import CoreFeed
from tpuref.runtime.lockstep import compute, locate, perform
from tpuref.runtime.placement_plan import PlacementPlan, Transfer
from tpuref.runtime.program_counters import numbered
from tpuref.runtime.run import Run
from tpuref.runtime.verdict import truth

Values = list[Any]
Shape = tuple[int, ...]
Step = Callable[[Values], None]
Path = tuple[int, ...]
"""Where an instruction is: its index, then block and index at each level inside."""


class CoreServices(Protocol):
    """What the program of a core asks of the process that runs it."""

    run: Run
    replica: int
    events: CoreEvents | None
    counter: memoryview

    def go_on(self) -> None:
        """Raise if the run was called off."""

    def collective(self, instr: Instr) -> Callable[[Array], Array]:
        """Return the function that takes part in a collective."""

    def out_for(self, shape: Shape, dtype: np.dtype[Any]) -> Mapping[str, Array]:
        """Return ``out=`` if the input of a collective needs certain memory."""

    def shared(self, array: Array) -> Array:
        """Return an array, copied if a collective cannot read it where it is."""

    def send(self, logical_core: int, value: Array) -> None:
        """Send a value to another logical core of the replica."""

    def receive(self, logical_core: int) -> Array:
        """Return the next value from another logical core of the replica."""

    def send_to_replica(self, replica: int, value: Array) -> None:
        """Send a value to another replica."""

    def receive_from_replica(self, replica: int) -> Array:
        """Return the next value from another replica."""

    def call_host(self, path: Path, inputs: Sequence[Array]) -> Sequence[Array]:
        """Let the host run the instruction at `path`, and return its outputs."""


class CoreProgram:
    """A program, prepared for one core.

    Parameters
    ----------
    program
        The program.
    around
        The process that runs it.
    logical_core
        The number of the core within its replica.
    plan
        Which core of the replica runs which instructions.
    path
        The position of the program within a larger one.
    numbers
        What the core puts into its program counter, by the id of an instruction.
    """

    def __init__(
        self,
        program: Program,
        around: CoreServices,
        logical_core: int,
        plan: PlacementPlan,
        path: Path = (),
        numbers: Mapping[int, int] | None = None,
    ) -> None:
        self._around = around
        self._numbers = numbers or numbered(program)
        self._logical_core = logical_core
        self._plan = plan
        self._parameters = program.parameters
        self._results = program.results
        self._slots = 1 + max(
            [-1, *program.parameters]
            + [slot for instr in program.instrs for slot in instr.outputs]
        )
        self._summed = {
            slot
            for instr in program.instrs
            if instr.definition.collective is not None
            for slot in instr.inputs
        }
        self._constants: Values = [None] * self._slots
        self._steps: list[tuple[Step, int, Label]] = []
        self._observed: list[tuple[Step, int, Label]] = []
        for index, instr in enumerate(program.instrs):
            self._add(instr, (*path, index))
        for transfer in plan.at_the_end(program):
            self._add_transfer(transfer, program.instrs[-1])

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Run the program and return its results."""
        values = self._constants.copy()
        for slot, array in zip(self._parameters, inputs, strict=True):
            values[slot] = array
        events, counter = self._around.events, self._around.counter
        try:
            if events is None:
                for step, number, label in self._steps:
                    counter[0] = number
                    step(values)
            else:
                for step, number, label in self._observed:
                    counter[0] = number
                    events.observe(step, label, values)
        except OpError as error:
            assert label.instr is not None
            locate(error, label.instr)
            raise
        return [values[slot] for slot in self._results]

    def _add(self, instr: Instr, path: Path) -> None:
        if instr.definition is TOWER_COPY:
            self._add_copy(instr)
            return
        if not instr.concerns(self._around.replica):
            return
        for transfer in self._plan.before(instr):
            self._add_transfer(transfer, instr)
        if self._logical_core not in self._plan.runs_on(instr):
            return
        if instr.definition is CONST:
            self._add_constant(instr)
        else:
            step, on_core = self._step(instr, path), instr.core != HOST
            self._append(step, instr, kind(instr), instr.outputs, traced=on_core)

    def _add_constant(self, instr: Instr) -> None:
        """Compute a constant now; only a trace lists it when the program runs."""
        around, (slot,) = self._around, instr.outputs
        (self._constants[slot],) = compute(CONST, instr, [], around.replica, around.run)
        number = self._numbers[id(instr)]
        label = Label(instr, number, None, traced=instr.core != HOST)
        self._observed.append((lambda values: None, number, label))

    def _add_copy(self, instr: Instr) -> None:
        """Send a value to other replicas, or receive it."""
        (slot,), around = instr.inputs, self._around
        source, targets = instr.attrs["source"], instr.attrs["targets"]
        if around.replica == source:

            def send(values: Values) -> None:
                for replica in targets:
                    around.send_to_replica(replica, values[slot])

            peers = [(TO_REPLICA, replica) for replica in targets]
            self._append(send, instr, SEND, (slot,), peers)
        elif around.replica in targets:

            def receive(values: Values) -> None:
                values[slot] = around.receive_from_replica(source)

            self._append(receive, instr, RECEIVE, (slot,), [(TO_REPLICA, source)])

    def _add_transfer(self, transfer: Transfer, instr: Instr) -> None:
        slot, around = transfer.slot, self._around
        if transfer.source == self._logical_core:

            def send(values: Values) -> None:
                around.send(transfer.target, values[slot])

            self._append(send, instr, SEND, (slot,), [(TO_CORE, transfer.target)])
        elif transfer.target == self._logical_core:

            def receive(values: Values) -> None:
                values[slot] = around.receive(transfer.source)

            self._append(receive, instr, RECEIVE, (slot,), [(TO_CORE, transfer.source)])

    def _append(
        self,
        step: Step,
        instr: Instr,
        kind: str | None,
        slots: tuple[int, ...] = (),
        peers: Sequence[Peer] = (),
        traced: bool = False,
    ) -> None:
        number = self._numbers[id(instr)]
        label = Label(instr, number, kind, slots, tuple(peers), traced)
        self._steps.append((step, number, label))
        self._observed.append((step, number, label))

    def _step(self, instr: Instr, path: Path) -> Step:
        definition = instr.definition
        if definition is IF:
            return self._if(instr, path)
        if definition is WHILE:
            return self._while(instr, path)
        if definition.ahead:
            return self._fed(instr, path)
        if kind(instr) == HOST_CALL:
            return self._host_call(instr, path)
        if definition.effect is not None:
            return self._effect(instr)
        if definition.collective is not None:
            return self._collective(instr)
        if len(instr.outputs) == 1 and instr.outputs[0] in self._summed:
            if definition.writes_into:
                return self._compute_in_place(definition, instr)
            return self._compute_and_share(definition, instr)
        return self._compute(definition, instr)

    def _compute(self, definition: OpDef, instr: Instr) -> Step:
        around, inputs, outputs = self._around, instr.inputs, instr.outputs

        def step(values: Values) -> None:
            arrays = [values[slot] for slot in inputs]
            results = compute(definition, instr, arrays, around.replica, around.run)
            for slot, result in zip(outputs, results, strict=True):
                values[slot] = result

        if len(outputs) == 1 and definition.foldable:
            return self._compute_quickly(definition, instr, step)
        return step

    def _compute_quickly(self, definition: OpDef, instr: Instr, thorough: Step) -> Step:
        """Compute one array from others, and leave any special case to the other step.

        On small arrays the operation takes no longer than what the other step adds.
        """
        inputs, (output,), attrs = instr.inputs, instr.outputs, dict(instr.attrs)
        function, dtype = definition.compute, instr.specs[0].dtype.np
        assert function is not None

        def step(values: Values) -> None:
            try:
                result = function(*[values[slot] for slot in inputs], **attrs)
            except Exception:
                thorough(values)  # fails again, with the message of the interpreter
                return
            if result.__class__ is tuple or result.__class__ is list:
                thorough(values)
            else:
                values[output] = np.asarray(result, dtype, order="C")

        return step

    def _compute_in_place(self, definition: OpDef, instr: Instr) -> Step:
        """Compute the input of a collective where its peers read."""
        around, inputs, (output,) = self._around, instr.inputs, instr.outputs
        (spec,) = instr.specs
        if not spec.shape.is_fully_defined():
            return self._compute(definition, instr)
        shape, dtype = tuple(size or 0 for size in spec.shape.as_list()), spec.dtype.np

        def step(values: Values) -> None:
            arrays = [values[slot] for slot in inputs]
            out = around.out_for(shape, dtype)
            (values[output],) = compute(
                definition, instr, arrays, around.replica, around.run, **out
            )

        return step

    def _compute_and_share(self, definition: OpDef, instr: Instr) -> Step:
        """Compute the input of a collective, and copy it to where its peers read."""
        around, (output,) = self._around, instr.outputs
        compute_it = self._compute(definition, instr)

        def step(values: Values) -> None:
            compute_it(values)
            values[output] = around.shared(values[output])

        return step

    def _collective(self, instr: Instr) -> Step:
        collective = self._around.collective(instr)
        (source,), (target,) = instr.inputs, instr.outputs

        def step(values: Values) -> None:
            values[target] = collective(values[source])

        return step

    def _effect(self, instr: Instr) -> Step:
        around, inputs, outputs = self._around, instr.inputs, instr.outputs

        def step(values: Values) -> None:
            arrays = [values[slot] for slot in inputs]
            results = perform(instr, arrays, around.replica, around.run)
            for slot, result in zip(outputs, results, strict=True):
                values[slot] = result

        return step

    def _host_call(self, instr: Instr, path: Path) -> Step:
        around = self._around

        def step(values: Values) -> None:
            arrays = [values[slot] for slot in instr.inputs]
            results = around.call_host(path, arrays)
            for slot, result in zip(instr.outputs, results, strict=True):
                values[slot] = result

        return step

    def _fed(self, instr: Instr, path: Path) -> Step:
        around = self._around
        feed = CoreFeed(instr, lambda inputs: around.call_host(path, inputs))

        def step(values: Values) -> None:
            for slot, array in zip(instr.outputs, feed.next(around.run), strict=True):
                values[slot] = array

        return step

    def _if(self, instr: Instr, path: Path) -> Step:
        branches = self._blocks(instr, path)

        def step(values: Values) -> None:
            predicate, *arrays = (values[slot] for slot in instr.inputs)
            results = branches[0 if truth(instr, predicate) else 1].run(arrays)
            for slot, result in zip(instr.outputs, results, strict=True):
                values[slot] = result

        return step

    def _while(self, instr: Instr, path: Path) -> Step:
        condition, body = self._blocks(instr, path)
        around = self._around
        split, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]

        def step(values: Values) -> None:
            arrays = [values[slot] for slot in instr.inputs]
            turning, captured = arrays[:split], arrays[split:]
            kept = nothing_kept(instr.specs[split:])
            turns = 0
            while limit is None or turns < limit:
                around.go_on()
                if not truth(instr, condition.run(turning + captured)[0]):
                    break
                given = body.run(turning + captured)
                turning = given[:split]
                for arrays, array in zip(kept, given[split:], strict=True):
                    arrays.append(array.copy())  # the next turn may reuse its memory
                turns += 1
            results = turning + joined(kept, instr.specs[split:])
            for slot, result in zip(instr.outputs, results, strict=True):
                values[slot] = result

        return step

    def _blocks(self, instr: Instr, path: Path) -> list[CoreProgram]:
        return [
            CoreProgram(
                block,
                self._around,
                self._logical_core,
                self._plan,
                (*path, number),
                self._numbers,
            )
            for number, block in enumerate(instr.blocks)
        ]


def kind(instr: Instr) -> str:
    """Return the kind of event that running an instruction is."""
    if instr.blocks:
        return BLOCK
    definition = instr.definition
    if instr.core == HOST or definition.place is not Place.ANYWHERE:
        return HOST_CALL
    if definition.collective is not None:
        return COLLECTIVE
    return OPERATION
