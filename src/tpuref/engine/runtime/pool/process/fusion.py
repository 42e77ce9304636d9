"""Operations that follow each other in a program, run in one step for several cores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tpuref.base.dtypes import string
from tpuref.base.errors import OpError
from tpuref.engine.ops.definition import Place
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.engine.runtime.pool.columns import Layout, layout
from tpuref.engine.runtime.pool.process.fusion_plan import (
    FusionPlan,
    Memory,
    UnexpectedShape,
)

KEPT_PLANS = 8
"""For how many different layouts of its inputs a fusion keeps a plan."""

KEPT_BYTES = 1 << 24
"""A plan that needs more memory than this is made again for each run."""

_FAULTS = (UnexpectedShape, OpError, *FAULTS)
"""What a plan raises for inputs that it cannot take, or that an operation refuses."""


def fuses(instr: Instr) -> bool:
    """Whether an instruction can be part of a fusion: it computes one array."""
    definition = instr.definition
    return (
        definition.foldable
        and definition.place is Place.ANYWHERE
        and instr.core != HOST
        and not definition.allocates
        and len(instr.outputs) == 1
        and instr.specs[0].dtype != string
    )


class Fusion:
    """Operations that follow each other, run in one step for several cores.

    Parameters
    ----------
    instrs, numbers
        The operations, and their numbers in the program.
    cores
        How many cores run them.
    constants
        The values that are known, by slot.
    wanted
        The slots that others read afterwards.
    memories
        What gives the memory for an output, by slot; any memory will do for others.
    counter
        The program counter of the process.
    """

    def __init__(
        self,
        instrs: Sequence[Instr],
        numbers: Sequence[int],
        cores: int,
        constants: Mapping[int, Array],
        wanted: Collection[int],
        memories: Mapping[int, Memory],
        counter: memoryview,
    ) -> None:
        self._instrs, self._numbers = instrs, numbers
        self._cores, self._counter = cores, counter
        made = {slot for instr in instrs for slot in instr.outputs}
        read = dict.fromkeys(slot for instr in instrs for slot in instr.inputs)
        self._constants = {s: constants[s] for s in read if s in constants}
        self._inputs = [s for s in read if s not in made and s not in constants]
        self._wanted = [slot for slot in made if slot in wanted]
        self._memories = memories
        self._plans: dict[tuple[Layout, ...], FusionPlan | None] = {}

    def run(self, values: list[Any]) -> bool:
        """Compute the outputs from the inputs, for all cores.

        Returns
        -------
        bool
            Whether that was possible.  If not, the operations have to run one by one:
            the cores differ in shapes, or an operation fails and has to say where.
        """
        layouts: list[Layout] = []
        for slot in self._inputs:
            found = layout(values[slot])
            if found is None:
                return False
            layouts.append(found)
        key = tuple(layouts)
        try:
            plan = self._plans[key] if key in self._plans else self._plan(key, values)
            if plan is None:
                return False
            plan.run(values, self._counter)
        except MemoryError:  # one by one they need less, or say which has too little
            return False
        except _FAULTS:
            self._plans[key] = None  # it would fail again
            return False
        return True

    def _plan(self, key: tuple[Layout, ...], values: list[Any]) -> FusionPlan:
        """Return the plan for some layouts."""
        given = zip(self._inputs, key, strict=True)
        plan = FusionPlan(
            self._instrs,
            self._numbers,
            self._cores,
            {slot: (how, values[slot][0].dtype) for slot, how in given},
            self._constants,
            self._wanted,
            self._memories,
        )
        if plan.kept_bytes <= KEPT_BYTES:
            if len(self._plans) >= KEPT_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan
