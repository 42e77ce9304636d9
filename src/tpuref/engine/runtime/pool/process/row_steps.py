"""The steps of rows: an operation that several towers take at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tpuref.base.errors import FailedPreconditionError
from tpuref.engine.ops.context import Variables
from tpuref.engine.ops.definition import Access
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.core_events import OPERATION
from tpuref.engine.runtime.pool.process.fusion import fuses
from tpuref.engine.runtime.pool.process.instruction_steps import InstructionSteps
from tpuref.engine.runtime.pool.process.schedule import (
    CoreServices,
    Fusible,
    Numbered,
    Schedule,
    Values,
    column_across,
)
from tpuref.engine.runtime.pool.process.tower_rows import Row
from tpuref.engine.runtime.pool.split import Lane


class RowSteps:
    """The steps of the rows of a program, on cores with one tower each.

    Parameters
    ----------
    around
        The process that runs them.
    lanes
        The cores.
    schedule
        What the steps are appended to.
    instructions
        What gives the steps of a tower alone.
    """

    def __init__(
        self,
        around: CoreServices,
        lanes: Sequence[Lane],
        schedule: Schedule,
        instructions: InstructionSteps,
    ) -> None:
        self._around = around
        self._lanes = lanes
        self._schedule = schedule
        self._instructions = instructions
        self._wholes: dict[tuple[int, int], int] = {}
        self._united: dict[tuple[int, ...], int] = {}

    def add(self, row: Row) -> None:
        """Take an operation for all towers; observed, they take it one by one."""
        alone = []
        for place, instr in enumerate(row.instrs):
            label = self._schedule.label(
                instr, OPERATION, instr.outputs, [place], traced=True
            )
            alone.append(
                (self._instructions.step(instr, [place], ()), label.number, label)
            )
        first = row.instrs[0]
        touches = first.definition.reads or first.definition.writes
        if not fuses(first) and not (touches and _has_shape(first)):
            for step, _, label in alone:
                self._schedule.append(step, label)
            return
        slots = tuple(instr.outputs[0] for instr in row.instrs)
        given = zip(*(instr.inputs for instr in row.instrs), strict=True)
        inputs = tuple(self._unite(slots) for slots in given)
        if touches:
            self._add_variables(row, alone, inputs, slots)
            return
        output, same = slots[0], len(set(slots)) == 1
        if not same:
            output = self._whole(slots)
        made = replace(row.instrs[0], inputs=inputs, outputs=(output,), replica=None)
        self._schedule.add(Fusible(made, alone, () if same else slots))

    def _add_variables(
        self,
        row: Row,
        alone: Sequence[Numbered],
        inputs: tuple[int, ...],
        slots: tuple[int, ...],
    ) -> None:
        """Read, assign or change a variable of each tower.

        Special cases, and errors, are left to the steps of the towers.
        """
        access, whole = _RowAccess(row, self._lanes, inputs), self._whole(slots)
        is_read = any(self._schedule.readers.get(slot) for slot in slots)

        def step(values: Values) -> None:
            column = access.run(values, self._around.runs)
            if column is None:
                self._schedule.take(alone, values)
                column = column_across(values, slots)
            if is_read:
                for slot in (whole, *slots):
                    values[slot] = column

        self._schedule.append_in_parts(step, alone[0][1], alone)

    def _whole(self, slots: tuple[int, ...]) -> int:
        """Return a new slot for the values that towers have in slots of their own."""
        whole = len(self._schedule.constants)
        self._schedule.constants.append(None)
        self._wholes.update(dict.fromkeys(enumerate(slots), whole))
        inside = [self._schedule.readers.get(slot, set()) for slot in slots]
        self._schedule.readers[whole] = set().union(*inside)
        return whole

    def _unite(self, slots: tuple[int, ...]) -> int:
        """Return a slot with the value of each tower, which are in these slots."""
        sources = [self._wholes.get(place, place[1]) for place in enumerate(slots)]
        if len(set(sources)) == 1:
            return sources[0]
        if slots in self._united:
            return self._united[slots]
        united, constants = len(self._schedule.constants), self._schedule.constants
        self._united[slots] = united
        constants.append(None)
        given = [constants[slot] or [None] * len(slots) for slot in slots]
        column = [each[place] for place, each in enumerate(given)]
        if all(array is not None for array in column):
            if all(_is_same(column[0], array) for array in column):
                self._schedule.known[united] = column[0]
                column = [column[0]] * len(column)
            constants[united] = column
            return united
        if self._schedule.computes(sources):
            self._schedule.fuse()

        def step(values: Values) -> None:
            values[united] = column_across(values, sources)

        self._schedule.append_unseen(step)
        return united


class _RowAccess:
    """The access of all towers to their variables; `inputs` has the slot of changes."""

    def __init__(self, row: Row, lanes: Sequence[Lane], inputs: Sequence[int]) -> None:
        effects, (spec,) = row.instrs[0].definition.effects, row.instrs[0].specs
        self._handles = [instr.attrs["handle"] for instr in row.instrs]
        self._lanes, self._inputs = lanes, inputs
        self._reads, self._combine = effects.access is Access.READ, effects.combine
        self._shape, self._dtype = tuple(spec.shape.as_list()), spec.dtype.np

    def run(self, values: Values, runs: Mapping[int, Run]) -> Column | None:
        """Return the values of the variables afterwards.

        It returns None, and changes nothing, if a variable has no value yet, if shapes
        do not fit, or if there is too little memory for all at once.
        """
        views = [runs[lane.logical].variables[lane.replica] for lane in self._lanes]
        held = list(zip(views, self._handles, strict=True))
        try:
            if self._reads:
                return [view.read(handle) for view, handle in held]
            column = self._changed(values[self._inputs[0]], held)
        except (FailedPreconditionError, ValueError, MemoryError):
            return None
        if any(array.shape != self._shape for array in column):
            return None
        for (view, handle), array in zip(held, column, strict=True):
            view.write(handle, array)
        return column

    def _changed(self, by: Column, held: Sequence[tuple[Variables, str]]) -> Column:
        """Return the new values of the variables."""
        if self._combine is None:
            return by
        changes = [
            (view.read(handle), change)
            for (view, handle), change in zip(held, by, strict=True)
        ]
        return [np.asarray(self._combine(*each), self._dtype) for each in changes]


def _has_shape(instr: Instr) -> bool:
    return instr.specs[0].shape.is_fully_defined()


def _is_same(x: Array, y: Array) -> bool:
    alike = x.shape == y.shape and x.dtype == y.dtype
    return alike and x.tobytes() == y.tobytes()
