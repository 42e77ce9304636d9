"""What the host has to know of a program that cores run."""

from __future__ import annotations

from tpuref.ops.registry import REGISTRY
from tpuref.program import Program


class ProgramFacts:
    """The variables, random draws and results of a program.

    Attributes
    ----------
    handles
        The variables that it reads or writes.
    random
        The names of its random operations.
    results
        The dtype and shape of each result, None where it is a parameter handed back.
    """

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        self.handles = list(
            dict.fromkeys(i.attrs["handle"] for i in instrs if "handle" in i.attrs)
        )
        self.random = [
            i.name for i in instrs if i.op in REGISTRY and REGISTRY[i.op].random
        ]
        specs = {
            slot: spec
            for instr in program.instrs
            for slot, spec in zip(instr.outputs, instr.specs, strict=True)
        }
        self.results = [specs.get(slot) for slot in program.results]
