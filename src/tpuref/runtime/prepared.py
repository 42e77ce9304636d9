"""What a process does with a program, for the cores that it carries.

A program is prepared once for some cores: each instruction becomes a step, a function
that reads and writes the values of all of them, as lockstep does.  A run calls the
steps in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from tpuref.base.errors import OpError
from tpuref.ops.control import IF, TOWER_COPY, WHILE, joined, nothing_kept
from tpuref.ops.definition import OpDef, Place
from tpuref.ops.meaning import Array
from tpuref.ops.sources import CONST
from tpuref.ops.state import ASSIGN, READS, UPDATES
from tpuref.program import HOST, Instr, Program
from tpuref.runtime.arrangement import Together, arranged
from tpuref.runtime.columns import Column
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
from tpuref.runtime.exchange import Addend, Exchange
from tpuref.runtime.fusion import Fusion, fuses
from tpuref.runtime.fusion_plan import Memory
from tpuref.runtime.lockstep import compute, locate, perform
from tpuref.runtime.placement_plan import PlacementPlan, Transfer
from tpuref.runtime.program_counters import EXCHANGE, numbered
from tpuref.runtime.run import Run
from tpuref.runtime.split import Lane
from tpuref.runtime.tower_rows import Row, in_rows
from tpuref.runtime.verdict import truth

Values = list[Any]
"""The columns of all slots; None for a slot without values."""

Step = Callable[[Values], None]
Numbered = tuple[Step, int, Label]
"""A step with the number of its instruction, and what an observer has to know."""

Path = tuple[int, ...]
"""Where an instruction is: its index, then block and index at each level inside."""


class Fusible(NamedTuple):
    """An operation that all cores of a process compute.

    Attributes
    ----------
    instr
        The operation.
    alone
        The steps that compute it without a fusion.
    slots
        Where each tower looks for its own output, if that is not the output's slot.
    """

    instr: Instr
    alone: Sequence[Numbered]
    slots: tuple[int, ...] = ()


PREPARED_BLOCKS = 64
"""For how many different sets of cores a branch or loop keeps its program."""


class CoreServices(Protocol):
    """What a program asks of the process that runs it.

    Attributes
    ----------
    run, runs
        The run, and the same with the variables as each logical core sees them.
    lane
        The core that the process is at, None while it is at no certain one.
    events
        What the run is observed by, None for nothing.
    counter
        The program counter of the process.
    """

    run: Run
    runs: dict[int, Run]
    lane: Lane | None
    events: CoreEvents | None
    counter: memoryview

    def go_on(self) -> None:
        """Raise if the run was called off."""

    def exchange(self, instrs: Sequence[Instr], lanes: Sequence[Lane]) -> Exchange:
        """Return the function that takes part in sums over replicas."""

    def send(self, lane: Lane, peer: Peer, value: Array) -> None:
        """Send a value from a core of this process to any other."""

    def receive(self, lane: Lane, peer: Peer) -> Array:
        """Return the next value for a core of this process from another."""

    def call_host(
        self, path: Path, calls: Sequence[tuple[Lane, Sequence[Array]]]
    ) -> Sequence[Sequence[Array]]:
        """Let the host run the instruction at `path` for some cores."""


class PreparedProgram:
    """A program, prepared for some of the cores of one process.

    Parameters
    ----------
    program
        The program.
    around
        The process that runs it.
    lanes
        The cores.
    plan
        Which core of a replica runs which instructions.
    path
        The position of the program within a larger one.
    numbers
        What the process puts into its program counter, by the id of an instruction.
    """

    def __init__(
        self,
        program: Program,
        around: CoreServices,
        lanes: Sequence[Lane],
        plan: PlacementPlan,
        path: Path = (),
        numbers: Mapping[int, int] | None = None,
    ) -> None:
        self._around = around
        self._numbers = numbers or numbered(program)
        self._lanes = lanes
        self._plan = plan
        self._parameters = program.parameters
        self._results = program.results
        slots = 1 + max(
            [-1, *program.parameters]
            + [slot for instr in program.instrs for slot in instr.outputs]
        )
        order = arranged(program, plan)
        self._addends: dict[int, Addend] = {}
        self._summed: dict[int, Addend] = {}
        for together in order:
            if together[0].definition.collective is not None:
                self._note_exchange(together)
        self._constants: Values = [None] * slots
        self._known: dict[int, Array] = {}
        self._wholes: dict[tuple[int, int], int] = {}
        self._united: dict[tuple[int, ...], int] = {}
        self._readers = _readers(program, plan)
        self._steps: list[Numbered] = []
        self._observed: list[Numbered] = []
        self._fusing: list[Fusible] = []
        paths = {id(instr): (*path, k) for k, instr in enumerate(program.instrs)}
        for taken in self._in_rows(order):
            if isinstance(taken, Row):
                self._add_row(taken)
            elif len(taken) > 1:
                self._add_exchange(taken)
            else:
                self._add(taken[0], paths[id(taken[0])])
        for transfer in plan.at_the_end(program):
            self._add_transfer(transfer, program.instrs[-1], range(len(lanes)))
        self._fuse()
        self._observed.sort(key=lambda numbered: numbered[1])  # as the program has them

    def run(self, inputs: Sequence[Column]) -> list[Column]:
        """Run the program with the columns of its inputs, and return its results."""
        values = self._constants.copy()
        for slot, column in zip(self._parameters, inputs, strict=True):
            values[slot] = column
        if self._around.events is None:
            self._take(self._steps, values)
        else:
            self._take(self._observed, values, self._around.events.observe)
        return [values[slot] for slot in self._results]

    def _take(
        self,
        steps: Sequence[Numbered],
        values: Values,
        observe: Callable[[Step, Label, Values], None] | None = None,
    ) -> None:
        """Take some steps, and say in an error which instruction it comes from."""
        counter = self._around.counter
        try:
            for step, number, label in steps:
                counter[0] = number
                if observe is None:
                    step(values)
                else:
                    observe(step, label, values)
        except OpError as error:
            if label.instr is not None:
                locate(error, label.instr)
            raise

    def _places(self, instr: Instr) -> list[int]:
        """Return the places of the cores that run an instruction."""
        there = self._plan.runs_on(instr)
        return [
            place
            for place, lane in enumerate(self._lanes)
            if lane.logical in there and instr.concerns(lane.replica)
        ]

    def _add(self, instr: Instr, path: Path) -> None:
        if instr.definition is TOWER_COPY:
            self._add_copy(instr)
            return
        concerned = [
            place
            for place, lane in enumerate(self._lanes)
            if instr.concerns(lane.replica)
        ]
        for transfer in self._plan.before(instr):
            self._add_transfer(transfer, instr, concerned)
        places = self._places(instr)
        if not places:
            return
        if instr.definition is CONST:
            self._add_constant(instr, places)
        else:
            step, on_core = self._step(instr, places, path), instr.core != HOST
            label = self._label(instr, kind(instr), instr.outputs, places, on_core)
            if fuses(instr) and len(places) == len(self._lanes):
                alone = (step, label.number, label)
                self._fusing.append(Fusible(instr, [alone]))
                self._observed.append(alone)
            else:
                self._append(step, label)

    def _note_exchange(self, sums: Together) -> None:
        """Note which values the cores exchange, before there is what computes them."""
        there = [self._lanes[place] for place in self._places(sums[0])]
        exchange = self._around.exchange(sums, there)
        for number, instr in enumerate(sums):
            addend = self._addends[id(instr)] = Addend(exchange, number)
            self._summed.setdefault(instr.inputs[0], addend)

    def _add_exchange(self, sums: Together) -> None:
        """Take several sums in one step; observed, they are taken one by one."""
        places = self._places(sums[0])
        if not places:
            return
        exchange = self._addends[id(sums[0])].exchange
        alone: list[Numbered] = []
        for instr in sums:
            label = self._label(instr, COLLECTIVE, instr.outputs, places, traced=True)
            alone.append((self._collective(instr, places), label.number, label))
        self._observed += alone

        def step(values: Values) -> None:
            given = [_at(values, instr.inputs, places)[0] for instr in sums]
            if not exchange.joins(given):
                self._take(alone, values)
                return
            totals = exchange(given)
            for instr, total in zip(sums, totals, strict=True):
                (target,) = instr.outputs
                values[target] = self._column(places, total, values[target])

        self._fuse()
        label = self._label(sums[0], COLLECTIVE, (), places)
        self._steps.append((step, label.number | EXCHANGE, label))

    def _in_rows(self, order: Sequence[Together]) -> Sequence[Together | Row]:
        """Return what these cores take, with towers abreast where they are alike."""
        if len(self._lanes) < 2 or self._plan.cores > 1:
            return order
        return in_rows(order, [lane.replica for lane in self._lanes])

    def _add_row(self, row: Row) -> None:
        """Take an operation for all towers; observed, they take it one by one."""
        alone = []
        for place, instr in enumerate(row.instrs):
            label = self._label(instr, OPERATION, instr.outputs, [place], traced=True)
            alone.append((self._step(instr, [place], ()), label.number, label))
        self._observed += alone
        first = row.instrs[0]
        touches = first.definition.reads or first.definition.writes
        if not fuses(first) and not (touches and _has_shape(first)):
            self._fuse()
            self._steps += alone
            return
        slots = tuple(instr.outputs[0] for instr in row.instrs)
        given = zip(*(instr.inputs for instr in row.instrs), strict=True)
        inputs = tuple(self._unite(slots) for slots in given)
        if touches:
            self._add_row_of_variables(row, alone, inputs, slots)
            return
        output, same = slots[0], len(set(slots)) == 1
        if not same:
            output = self._whole(slots)
        made = replace(row.instrs[0], inputs=inputs, outputs=(output,), replica=None)
        self._fusing.append(Fusible(made, alone, () if same else slots))

    def _add_row_of_variables(
        self,
        row: Row,
        alone: Sequence[Numbered],
        inputs: tuple[int, ...],
        slots: tuple[int, ...],
    ) -> None:
        """Read, assign or change a variable of each tower.

        Special cases, and errors, are left to the steps of the towers.
        """
        around, lanes = self._around, self._lanes
        handles = [instr.attrs["handle"] for instr in row.instrs]
        definition, (spec,) = row.instrs[0].definition, row.instrs[0].specs
        shape, dtype = tuple(spec.shape.as_list()), spec.dtype.np
        combine, whole = UPDATES.get(definition), self._whole(slots)
        read = any(self._readers.get(slot) for slot in slots)

        def column(values: Values) -> Column | None:
            runs = around.runs
            views = [runs[lane.logical].variables[lane.replica] for lane in lanes]
            held = list(zip(views, handles, strict=True))
            if definition in READS:
                return [view.read(handle) for view, handle in held]
            new: Column = values[inputs[0]]
            if combine is not None:
                olds = [view.read(handle) for view, handle in held]
                changes = zip(olds, new, strict=True)
                new = [np.asarray(combine(old, by), dtype) for old, by in changes]
            if any(array.shape != shape for array in new):
                return None
            for (view, handle), array in zip(held, new, strict=True):
                view.write(handle, array)
            return new

        def step(values: Values) -> None:
            try:
                found = column(values)
            except (OpError, ValueError):
                found = None
            if found is None:
                self._take(alone, values)
                found = _united(values, slots)
            if read:
                values[whole] = found
                for slot in slots:
                    values[slot] = found

        self._fuse()
        number = alone[0][1]
        self._append_unseen(step, number)

    def _whole(self, slots: tuple[int, ...]) -> int:
        """Return a new slot for the values that towers have in slots of their own."""
        whole = len(self._constants)
        self._constants.append(None)
        self._wholes.update(dict.fromkeys(enumerate(slots), whole))
        inside = [self._readers.get(slot, set()) for slot in slots]
        self._readers[whole] = set().union(*inside)
        return whole

    def _unite(self, slots: tuple[int, ...]) -> int:
        """Return a slot with the value of each tower, which are in these slots."""
        sources = [self._wholes.get(place, place[1]) for place in enumerate(slots)]
        if len(set(sources)) == 1:
            return sources[0]
        if slots in self._united:
            return self._united[slots]
        united, constants = len(self._constants), self._constants
        self._united[slots] = united
        constants.append(None)
        given = [constants[slot] or [None] * len(slots) for slot in slots]
        column = [each[place] for place, each in enumerate(given)]
        if all(array is not None for array in column):
            if all(_is_same(column[0], array) for array in column):
                self._known[united] = column[0]
                column = [column[0]] * len(column)
            constants[united] = column
            return united
        waiting = {slot for fusible in self._fusing for slot in fusible.instr.outputs}
        if not waiting.isdisjoint(sources):
            self._fuse()

        def step(values: Values) -> None:
            values[united] = _united(values, sources)

        self._append_unseen(step)
        return united

    def _add_constant(self, instr: Instr, places: Sequence[int]) -> None:
        """Compute a constant now; only a trace lists it when the program runs."""
        around, (slot,) = self._around, instr.outputs
        replica = self._lanes[places[0]].replica
        (value,) = compute(CONST, instr, [], replica, around.run)
        if len(places) == len(self._lanes):
            self._known[slot] = value
        given, before = [value] * len(places), self._constants[slot]
        self._constants[slot] = self._column(places, given, before)
        label = self._label(instr, None, (), places, traced=instr.core != HOST)
        self._observed.append((lambda values: None, label.number, label))

    def _add_copy(self, instr: Instr) -> None:
        """Send a value to other replicas, or receive it."""
        source, targets = instr.attrs["source"], instr.attrs["targets"]
        lanes = list(enumerate(self._lanes))
        self._add_moves(
            instr,
            instr.inputs[0],
            [
                (place, (TO_REPLICA, target))
                for target in targets
                for place, lane in lanes
                if lane.replica == source
            ],
            [(p, (TO_REPLICA, source)) for p, lane in lanes if lane.replica in targets],
        )

    def _add_transfer(
        self, transfer: Transfer, instr: Instr, concerned: Sequence[int]
    ) -> None:
        """Send a value to another core of the same replica, or receive it."""
        to, of = (TO_CORE, transfer.target), (TO_CORE, transfer.source)
        logical = {place: self._lanes[place].logical for place in concerned}
        self._add_moves(
            instr,
            transfer.slot,
            [(place, to) for place in concerned if logical[place] == transfer.source],
            [(place, of) for place in concerned if logical[place] == transfer.target],
        )

    def _add_moves(
        self,
        instr: Instr,
        slot: int,
        sends: Sequence[tuple[int, Peer]],
        receives: Sequence[tuple[int, Peer]],
    ) -> None:
        """Send the value of a slot from some cores to others, and receive it."""
        around, lanes = self._around, self._lanes

        def send(values: Values) -> None:
            for place, peer in sends:
                around.send(lanes[place], peer, values[slot][place])

        def receive(values: Values) -> None:
            column = list(values[slot] or [None] * len(lanes))
            for place, peer in receives:
                column[place] = around.receive(lanes[place], peer)
            values[slot] = column

        if sends:
            self._append(send, self._moving(instr, SEND, slot, sends))
        if receives:
            self._append(receive, self._moving(instr, RECEIVE, slot, receives))

    def _moving(
        self, instr: Instr, kind: str, slot: int, moves: Sequence[tuple[int, Peer]]
    ) -> Label:
        places = list(dict.fromkeys(place for place, _ in moves))
        peers = {p: tuple(peer for q, peer in moves if q == p) for p in places}
        return self._label(instr, kind, (slot,), places, peers=peers)

    def _label(
        self,
        instr: Instr,
        kind: str | None,
        slots: tuple[int, ...],
        places: Sequence[int],
        traced: bool = False,
        peers: Mapping[int, tuple[Peer, ...]] | None = None,
    ) -> Label:
        lanes = {place: self._lanes[place] for place in places}
        number = self._numbers[id(instr)]
        return Label(instr, number, kind, lanes, slots, peers or {}, traced)

    def _append(self, step: Step, label: Label) -> None:
        self._fuse()
        self._steps.append((step, label.number, label))
        self._observed.append((step, label.number, label))

    def _append_unseen(self, step: Step, number: int = 0) -> None:
        """Append a step that an observed run takes in parts, or not at all."""
        self._steps.append((step, number, Label(None, number, None, {})))

    def _fuse(self) -> None:
        """Append what was collected for a fusion as one step."""
        if not self._fusing:
            return
        fusing, self._fusing = self._fusing, []
        instrs = [fusible.instr for fusible in fusing]
        one_by_one = [step for fusible in fusing for step in fusible.alone]
        one_by_one.sort(key=lambda numbered: numbered[1])
        inside = {id(label.instr) for _, _, label in one_by_one}
        made = [slot for instr in instrs for slot in instr.outputs]
        wanted = [slot for slot in made if self._readers.get(slot, inside) - inside]
        fusion = Fusion(
            instrs,
            [fusible.alone[0][1] for fusible in fusing],
            len(self._lanes),
            self._known,
            wanted,
            {slot: self._memory(slot) for slot in made if self._is_summed(slot)},
            self._around.counter,
        )
        of_towers = [
            (instr.outputs[0], slots)
            for instr, _, slots in fusing
            if slots and instr.outputs[0] in wanted
        ]

        def step(values: Values) -> None:
            if fusion.run(values):
                for whole, slots in of_towers:
                    for slot in slots:
                        values[slot] = values[whole]
            else:
                self._take(one_by_one, values)
                for whole, slots in of_towers:
                    values[whole] = _united(values, slots)

        number = fusing[0].alone[0][1]
        self._append_unseen(step, number)

    def _is_summed(self, slot: int) -> bool:
        """Whether a collective of all cores takes a value."""
        return slot in self._summed and self._summed[slot].lanes == list(self._lanes)

    def _memory(self, slot: int) -> Memory:
        """Return what gives the memory where peers read a value that they sum."""
        places = self._summed[slot].places

        def memory(shape: tuple[int, ...], dtype: np.dtype[Any]) -> list[Array]:
            return [
                np.empty(shape, dtype) if place is None else place
                for place in places(shape, dtype)
            ]

        return memory

    def _column(
        self, places: Sequence[int], given: Sequence[Any], before: Column | None
    ) -> Column:
        """Return the column of a value that the cores at these places have.

        Each tower has an instruction of its own for what all of them sum, so the slot
        may have the values of others already.
        """
        if len(places) == len(self._lanes):
            return given
        column = list(before or [None] * len(self._lanes))
        for place, value in zip(places, given, strict=True):
            column[place] = value
        return column

    def _store(
        self,
        values: Values,
        slots: Sequence[int],
        places: Sequence[int],
        results: Sequence[Sequence[Array]],
    ) -> None:
        """Put the outputs of an instruction, core by core, into the columns."""
        for slot, *given in zip(slots, *results, strict=True):
            values[slot] = self._column(places, given, values[slot])

    # -- steps -----------------------------------------------------------------

    def _step(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        definition = instr.definition
        if definition is IF:
            return self._if(instr, places, path)
        if definition is WHILE:
            return self._while(instr, places, path)
        if definition.ahead:
            return self._fed(instr, places, path)
        if kind(instr) == HOST_CALL:
            return self._host_call(instr, places, path)
        if definition in READS:
            return self._read(instr, places)
        if definition is ASSIGN or definition in UPDATES:
            return self._write(instr, places)
        if definition.effect is not None:
            return self._effect(instr, places)
        if definition.collective is not None:
            return self._collective(instr, places)
        return self._compute(definition, instr, places)

    def _for_each(
        self,
        instr: Instr,
        places: Sequence[int],
        carry_out: Callable[[int, list[Array]], Sequence[Array]],
    ) -> Step:
        """Return the step that runs an instruction for one core after the other.

        `carry_out` is given the place of a core, and its inputs.
        """
        around, lanes, inputs, outputs = (
            self._around,
            self._lanes,
            instr.inputs,
            instr.outputs,
        )

        def step(values: Values) -> None:
            columns = [values[slot] for slot in inputs]
            results = []
            for place in places:
                around.lane = lanes[place]
                arrays = [column[place] for column in columns]
                results.append(carry_out(place, arrays))
            around.lane = None
            self._store(values, outputs, places, results)

        return step

    def _compute(self, definition: OpDef, instr: Instr, places: Sequence[int]) -> Step:
        around, lanes = self._around, self._lanes

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            return compute(definition, instr, arrays, lanes[place].replica, around.run)

        step = self._for_each(instr, places, carry_out)
        if len(instr.outputs) == 1 and instr.outputs[0] in self._summed:
            return self._compute_in_place(definition, instr, places) or step
        if len(instr.outputs) == 1 and definition.foldable:
            return self._compute_quickly(definition, instr, places, step)
        return step

    def _compute_quickly(
        self, definition: OpDef, instr: Instr, places: Sequence[int], thorough: Step
    ) -> Step:
        """Compute one array from others, and leave any special case to the other step.

        On small arrays the operation takes no longer than what the other step adds.
        """
        inputs, (output,), attrs = instr.inputs, instr.outputs, dict(instr.attrs)
        function, dtype = definition.compute, instr.specs[0].dtype.np
        assert function is not None
        everywhere = len(places) == len(self._lanes)

        def step(values: Values) -> None:
            columns = [values[slot] for slot in inputs]
            results = []
            try:
                for place in places:
                    result = function(*[column[place] for column in columns], **attrs)
                    if result.__class__ is tuple or result.__class__ is list:
                        thorough(values)
                        return
                    results.append(np.asarray(result, dtype, order="C"))
            except Exception:
                thorough(values)  # fails again, with the message of the interpreter
                return
            if everywhere:
                values[output] = results
            else:
                values[output] = self._column(places, results, values[output])

        return step

    def _compute_in_place(
        self, definition: OpDef, instr: Instr, places: Sequence[int]
    ) -> Step | None:
        """Compute the input of a collective where its peers read, if it can be."""
        around, lanes, (output,) = self._around, self._lanes, instr.outputs
        spec, sums = instr.specs[0], self._summed[output]
        alike = sums.lanes == [lanes[place] for place in places]
        if not (alike and definition.writes_into and spec.shape.is_fully_defined()):
            return None
        shape, dtype = tuple(size or 0 for size in spec.shape.as_list()), spec.dtype.np
        memory: dict[int, Array | None] = {}

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            out = memory[place]
            given = {} if out is None else {"out": out}
            replica = lanes[place].replica
            return compute(definition, instr, arrays, replica, around.run, **given)

        compute_it = self._for_each(instr, places, carry_out)

        def step(values: Values) -> None:
            memory.update(zip(places, sums.places(shape, dtype), strict=True))
            compute_it(values)
            memory.clear()

        return step

    def _collective(self, instr: Instr, places: Sequence[int]) -> Step:
        exchange, number = self._addends[id(instr)]
        (source,), (target,) = instr.inputs, instr.outputs
        everywhere = len(places) == len(self._lanes)

        def step(values: Values) -> None:
            column = values[source]
            if everywhere:
                values[target] = exchange.one(number, column)
            else:
                given = exchange.one(number, [column[place] for place in places])
                values[target] = self._column(places, given, values[target])

        return step

    def _effect(self, instr: Instr, places: Sequence[int]) -> Step:
        around, lanes = self._around, self._lanes

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            lane = lanes[place]
            return perform(instr, arrays, lane.replica, around.runs[lane.logical])

        return self._for_each(instr, places, carry_out)

    def _read(self, instr: Instr, places: Sequence[int]) -> Step:
        """Read a variable."""
        around, lanes, handle = self._around, self._lanes, instr.attrs["handle"]
        (target,) = instr.outputs

        def step(values: Values) -> None:
            results = []
            for place in places:
                lane = around.lane = lanes[place]
                variables = around.runs[lane.logical].variables[lane.replica]
                results.append(variables.read(handle))
            around.lane = None
            values[target] = self._column(places, results, values[target])

        return step

    def _write(self, instr: Instr, places: Sequence[int]) -> Step:
        """Assign or change a variable; cores with the same values do it together."""
        around, lanes, handle = self._around, self._lanes, instr.attrs["handle"]
        (source,), (target,) = instr.inputs, instr.outputs
        assigns = instr.definition is ASSIGN  # whatever it held before, if anything

        def step(values: Values) -> None:
            results: list[Array] = []
            latest: tuple[Any, Any] = None, None
            for place in places:
                lane = around.lane = lanes[place]
                run = around.runs[lane.logical]
                variables = run.variables[lane.replica]
                before = None if assigns else variables.read(handle)
                change = values[source][place]
                if before is latest[0] and change is latest[1]:
                    variables.write(handle, results[-1])
                    results.append(results[-1])
                else:
                    results += perform(instr, [change], lane.replica, run)
                    latest = before, change
            around.lane = None
            values[target] = self._column(places, results, values[target])

        return step

    def _host_call(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        around, lanes = self._around, self._lanes

        def step(values: Values) -> None:
            columns = [values[slot] for slot in instr.inputs]
            calls = [(lanes[p], [column[p] for column in columns]) for p in places]
            results = around.call_host(path, calls)
            self._store(values, instr.outputs, places, results)

        return step

    def _fed(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        around, lanes = self._around, self._lanes
        feeds = [CoreFeed(instr) for _ in places]

        def step(values: Values) -> None:
            asking = [
                (feed, lanes[place], wanted)
                for feed, place in zip(feeds, places, strict=True)
                if (wanted := feed.wanted(around.run))
            ]
            if asking:
                calls = [(lane, [np.asarray(wanted)]) for _, lane, wanted in asking]
                answers = around.call_host(path, calls)
                for (feed, _, _), arrays in zip(asking, answers, strict=True):
                    feed.fill(arrays)
            results = [feed.next() for feed in feeds]
            self._store(values, instr.outputs, places, results)

        return step

    def _if(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        branches = [self._block(instr, number, places, path) for number in (0, 1)]

        def step(values: Values) -> None:
            predicate, *columns = _at(values, instr.inputs, places)
            verdicts = [truth(instr, array) for array in predicate]
            results: list[list[Any]] = [[None] * len(places) for _ in instr.outputs]
            for verdict, branch in zip((True, False), branches, strict=True):
                taking = [k for k, each in enumerate(verdicts) if each is verdict]
                if taking:
                    given = branch(taking).run(_picked(columns, taking))
                    _merge(results, given, taking)
            for slot, column in zip(instr.outputs, results, strict=True):
                values[slot] = self._column(places, column, values[slot])

        return step

    def _while(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        condition = self._block(instr, 0, places, path)
        body = self._block(instr, 1, places, path)
        around = self._around
        split, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]

        def step(values: Values) -> None:
            columns = _at(values, instr.inputs, places)
            turning, captured = columns[:split], columns[split:]
            left: list[list[Any]] = [[None] * len(places) for _ in turning]
            kept = [nothing_kept(instr.specs[split:]) for _ in places]
            inside, turns = list(range(len(places))), 0
            tested, turned = condition(inside), body(inside)
            while limit is None or turns < limit:
                around.go_on()
                verdicts = [
                    truth(instr, array) for array in tested.run(turning + captured)[0]
                ]
                if not all(verdicts):
                    _merge(left, turning, inside)
                    staying = [k for k, verdict in enumerate(verdicts) if verdict]
                    inside = [inside[k] for k in staying]
                    turning = _picked(turning, staying)
                    captured = _picked(captured, staying)
                    if not inside:
                        break
                    tested, turned = condition(inside), body(inside)
                given = turned.run(turning + captured)
                turning = given[:split]
                for number, column in enumerate(given[split:]):
                    for place, array in zip(inside, column, strict=True):
                        # the next turn may reuse its memory
                        kept[place][number].append(array.copy())
                turns += 1
            _merge(left, turning, inside)
            ends = [joined(each, instr.specs[split:]) for each in kept]
            self._store(values, instr.outputs[split:], places, ends)
            for slot, column in zip(instr.outputs, left, strict=False):
                values[slot] = self._column(places, column, values[slot])

        return step

    def _block(
        self, instr: Instr, number: int, places: Sequence[int], path: Path
    ) -> Callable[[Sequence[int]], PreparedProgram]:
        """Return a function that gives a block, prepared for some of these places."""
        prepared: dict[tuple[int, ...], PreparedProgram] = {}

        def chosen(taking: Sequence[int]) -> PreparedProgram:
            key = tuple(taking)
            if key not in prepared:
                if len(prepared) >= PREPARED_BLOCKS:
                    prepared.clear()
                prepared[key] = PreparedProgram(
                    instr.blocks[number],
                    self._around,
                    [self._lanes[places[k]] for k in taking],
                    self._plan,
                    (*path, number),
                    self._numbers,
                )
            return prepared[key]

        chosen(range(len(places)))
        return chosen


def _readers(program: Program, plan: PlacementPlan) -> dict[int, set[int]]:
    """Return the ids of what reads each slot: instructions, and the program itself."""
    readers: dict[int, set[int]] = {slot: {id(program)} for slot in program.results}
    for instr in program.instrs:
        for slot in instr.inputs:
            readers.setdefault(slot, set()).add(id(instr))
        for transfer in plan.before(instr):
            readers.setdefault(transfer.slot, set()).add(id(program))
    for transfer in plan.at_the_end(program):
        readers.setdefault(transfer.slot, set()).add(id(program))
    return readers


def _at(values: Values, slots: Sequence[int], places: Sequence[int]) -> list[Column]:
    """Return the columns of some slots, cut down to some places."""
    return _picked([values[slot] for slot in slots], places)


def _united(values: Values, slots: Sequence[int]) -> Column:
    """Return the column of what each core has in a slot of its own."""
    return [values[slot][place] for place, slot in enumerate(slots)]


def _has_shape(instr: Instr) -> bool:
    return instr.specs[0].shape.is_fully_defined()


def _is_same(x: Array, y: Array) -> bool:
    alike = x.shape == y.shape and x.dtype == y.dtype
    return alike and x.tobytes() == y.tobytes()


def _picked(columns: Sequence[Column], places: Sequence[int]) -> list[Column]:
    return [[column[place] for place in places] for column in columns]


def _merge(
    whole: Sequence[list[Any]], parts: Sequence[Column], places: Sequence[int]
) -> None:
    """Write columns of some places into those of all places."""
    for column, part in zip(whole, parts, strict=True):
        for place, value in zip(places, part, strict=True):
            column[place] = value


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
