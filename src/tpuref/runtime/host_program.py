"""A program of the host, prepared: what lockstep does, with one replica."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.ops.meaning import Array
from tpuref.ops.sources import CONST, IDENTITY
from tpuref.program import Instr, Program
from tpuref.runtime.lockstep import run_instr, run_program
from tpuref.runtime.run import Run


class HostProgram:
    """A program, prepared for the host.

    Constants are put into their slots beforehand, and the output of an Identity is the
    slot of its input.

    Parameters
    ----------
    program
        The program; no instruction of it copies between replicas.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._begin: dict[int, Array] = {}
        self._steps: list[tuple[Instr, tuple[int, ...]]] = []
        same: dict[int, int] = {}
        for instr in program.instrs:
            inputs = tuple(same.get(slot, slot) for slot in instr.inputs)
            if instr.definition is CONST:
                dtype = instr.specs[0].dtype.np
                value = np.asarray(instr.attrs["value"], dtype, order="C")
                self._begin[instr.outputs[0]] = value
            elif instr.definition is IDENTITY:
                same[instr.outputs[0]] = inputs[0]
            else:
                self._steps.append((instr, inputs))
        self._results = [same.get(slot, slot) for slot in program.results]

    def run(self, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run the program and return its results."""
        if run.events is not None:  # a recording has each instruction
            return list(run_program(self._program, {0: inputs}, run)[0])
        values: dict[int, Any] = self._begin.copy()
        values.update(zip(self._program.parameters, inputs, strict=True))
        for instr, slots in self._steps:
            operands = [values[slot] for slot in slots]
            outputs = run_instr(instr, {0: operands}, run)[0]
            values.update(zip(instr.outputs, outputs, strict=True))
        return [values[slot] for slot in self._results]
