"""Fusion: consecutive operations in one step, batched over the cores of a process."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tpuref.base.dtypes import string
from tpuref.base.errors import OpError
from tpuref.engine.ops.definition import Place
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.engine.runtime.pool.columns import Layout, layout
from tpuref.engine.runtime.pool.process.addition import by_twos
from tpuref.engine.runtime.pool.process.fusion_plan import (
    FusionPlan,
    Memory,
    SharedMemory,
)
from tpuref.engine.runtime.pool.process.plan_calls import UnexpectedShape
from tpuref.engine.runtime.pool.process.recomputation import recomputed
from tpuref.engine.runtime.pool.process.summed_products import in_one

KEPT_PLANS = 8
"""The number of input layouts for which a fusion keeps a plan."""

KEPT_BYTES = 1 << 28
"""The most memory of a plan that is kept; a larger one is made again in each run.

A GPT-2 of width 256 needs 107 MB on 4 cores; making its plan takes a fifth of a step.
"""

_FAULTS = (UnexpectedShape, OpError, *FAULTS)
"""The errors of a plan for inputs that it cannot compute, or an operation refuses."""


def fuses(instr: Instr) -> bool:
    """Whether an instruction can join a fusion: it only computes arrays.

    A fusion computes several only by a rule for all cores, which allocates them itself.
    """
    definition = instr.definition
    one = len(instr.outputs) == 1 and not definition.allocates
    return (
        definition.foldable
        and definition.place is Place.ANYWHERE
        and instr.core != HOST
        and (one or definition.batching.stacked is not None)
        and all(spec.dtype != string for spec in instr.specs)
    )


class Fusion:
    """Consecutive operations, run in one step for several cores.

    The plan depends on the layouts of the inputs: which columns are one shared array,
    a stack, or separate arrays, and their shapes.  They seldom change, so plans are
    cached by them.

    `wanted` are the slots that others read afterwards.  `memories` has functions that
    return the memory for an output, `shared_memories` for one that all cores share;
    outputs without one may be anywhere.
    """

    def __init__(
        self,
        instrs: Sequence[Instr],
        numbers: Sequence[int],
        cores: int,
        constants: Mapping[int, Array],
        wanted: Collection[int],
        memories: Mapping[int, Memory],
        shared_memories: Mapping[int, SharedMemory],
        counter: memoryview,
    ) -> None:
        numbered = in_one(list(zip(instrs, numbers, strict=True)), wanted)
        numbered = recomputed(by_twos(numbered), constants, wanted)
        self._instrs = [instr for instr, _ in numbered]
        self._numbers = [number for _, number in numbered]
        self._cores, self._counter = cores, counter
        made = {slot for instr in instrs for slot in instr.outputs}
        read = dict.fromkeys(slot for instr in instrs for slot in instr.inputs)
        self._constants = {s: constants[s] for s in read if s in constants}
        self._inputs = [s for s in read if s not in made and s not in constants]
        self._wanted = [slot for slot in made if slot in wanted]
        self._memories = memories, shared_memories
        self._plans: dict[tuple[Layout, ...], FusionPlan | None] = {}

    def run(self, values: list[Any]) -> bool:
        """Compute the outputs from the inputs, for all cores.

        Return False, with nothing written to `values`, if the operations have to run
        one by one: the shapes differ between cores, or an operation fails and its error
        needs its name.
        """
        layouts: list[Layout] = []
        for slot in self._inputs:
            its_layout = layout(values[slot])
            if its_layout is None:
                return False
            layouts.append(its_layout)
        key = tuple(layouts)
        try:
            plan = self._plans[key] if key in self._plans else self._plan(key, values)
            if plan is None:
                return False
            plan.run(values, self._counter)
        except MemoryError:  # one by one they need less, or the error names one
            return False
        except _FAULTS:
            self._plans[key] = None  # it would fail again
            return False
        return True

    def _plan(self, key: tuple[Layout, ...], values: list[Any]) -> FusionPlan:
        """Return the plan for some layouts."""
        inputs = zip(self._inputs, key, strict=True)
        plan = FusionPlan(
            self._instrs,
            self._numbers,
            self._cores,
            {slot: (how, values[slot][0].dtype) for slot, how in inputs},
            self._constants,
            self._wanted,
            *self._memories,
        )
        if plan.kept_bytes <= KEPT_BYTES:
            if len(self._plans) >= KEPT_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan
