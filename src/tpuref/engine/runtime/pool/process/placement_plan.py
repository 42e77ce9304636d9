"""Which core of a replica runs what, and which values cross between cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tpuref.engine.program import HOST, Instr, Program


class Transfer(NamedTuple):
    """A value that one logical core sends to another."""

    slot: int
    source: int
    target: int


class PlacementPlan:
    """The cores of all instructions of a program, and the transfers between them.

    All cores of a replica make the same plan, so what one sends is what another
    receives, in the same order.

    Parameters
    ----------
    program
        The program.
    cores
        The number of logical cores of a replica.

    Attributes
    ----------
    cores
        The same.
    """

    def __init__(self, program: Program, cores: int) -> None:
        self.cores = cores
        self._all = frozenset(range(cores))
        self._before: dict[int, list[Transfer]] = {}
        self._at_the_end: dict[int, list[Transfer]] = {}
        self._plan(program, frozenset({0}))

    def runs_on(self, instr: Instr) -> frozenset[int]:
        """Return the logical cores that run an instruction."""
        if instr.core == HOST and not instr.blocks:
            return frozenset({0})
        if instr.definition.on_every_core:
            return self._all
        return frozenset({max(instr.core, 0)})

    def before(self, instr: Instr) -> Sequence[Transfer]:
        """Return the transfers that an instruction waits for."""
        return self._before.get(id(instr), ())

    def at_the_end(self, program: Program) -> Sequence[Transfer]:
        """Return the transfers of the program's results."""
        return self._at_the_end.get(id(program), ())

    def _plan(self, program: Program, wanted_on: frozenset[int]) -> None:
        held = {slot: set(self._all) for slot in program.parameters}
        for instr in program.instrs:
            places = self.runs_on(instr)
            self._before[id(instr)] = _transfers(instr.inputs, held, places)
            held.update({slot: set(places) for slot in instr.outputs})
            for block in instr.blocks:
                self._plan(block, self._all)
        self._at_the_end[id(program)] = _transfers(program.results, held, wanted_on)


def _transfers(
    slots: Sequence[int], held: dict[int, set[int]], wanted_on: frozenset[int]
) -> list[Transfer]:
    found = []
    for slot in slots:
        for target in sorted(wanted_on - held[slot]):
            found.append(Transfer(slot, min(held[slot]), target))
            held[slot].add(target)
    return found
