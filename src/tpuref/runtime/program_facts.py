"""What the host needs to know of a program that cores run."""

from __future__ import annotations

from tpuref.program import HOST, Program


class ProgramFacts:
    """The variables, random draws and results of a program.

    Attributes
    ----------
    owners
        The replica of each variable that one replica alone writes.
    random
        The names of its random operations.
    results
        The dtype and shape of each result, None where it is a parameter handed back.
    """

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        self._users: dict[str, set[int | None]] = {}
        for instr in instrs:
            variable = instr.definition.reads or instr.definition.writes
            if variable is not None and instr.core != HOST:
                self._users.setdefault(instr.attrs[variable], set()).add(instr.replica)
        self.owners = program.owners
        self.random = [instr.name for instr in instrs if instr.definition.random]
        specs = {
            slot: spec
            for instr in program.instrs
            for slot, spec in zip(instr.outputs, instr.specs, strict=True)
        }
        self.results = [specs.get(slot) for slot in program.results]

    def handles(self, replica: int) -> list[str]:
        """Return the variables that a replica reads or writes."""
        return [
            handle
            for handle, users in self._users.items()
            if None in users or replica in users
        ]

    def owns(self, replica: int) -> bool:
        """Return whether there are variables that this replica alone writes."""
        return replica in self.owners.values()
