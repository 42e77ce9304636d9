"""What the host needs to know of a program that cores run."""

from __future__ import annotations

from tpuref.program import HOST, Program


class ProgramFacts:
    """The variables, random draws and results of a program.

    Attributes
    ----------
    variables
        The names of the variables that replicas read or write.
    owners
        The replicas whose values of the variables that they write are kept.
    random
        The names of its random operations.
    results
        The dtype and shape of each result, None where it is a parameter handed back.
    """

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        on_cores = [instr for instr in instrs if instr.core != HOST]
        used = [(i, i.definition.reads or i.definition.writes) for i in on_cores]
        self.variables = list(dict.fromkeys(i.attrs[name] for i, name in used if name))
        self.owners = {0, *program.owners.values()}
        self.random = [instr.name for instr in instrs if instr.definition.random]
        specs = {
            slot: spec
            for instr in program.instrs
            for slot, spec in zip(instr.outputs, instr.specs, strict=True)
        }
        self.results = [specs.get(slot) for slot in program.results]
