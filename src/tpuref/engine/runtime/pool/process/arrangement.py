"""The order in which a process takes the instructions of a program.

Sums over replicas that need nothing of each other are moved together, to be one
exchange: what does not need them comes before, what does comes after.  Only operations
that nobody sees from outside change places.  The order depends on the program alone, so
all processes agree on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tpuref.engine.ops.collectives import CROSS_REPLICA_SUM
from tpuref.engine.ops.sources import CONST
from tpuref.engine.ops.state import READS
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.fusion import fuses

LARGEST_EXCHANGE = 1 << 16
"""How many bytes a core brings to an exchange of several sums.

Larger ones take longer together than apart: 4 sums of 1 MiB three times as long.
"""

Together = tuple[Instr, ...]
"""The sums of one exchange, or any other instruction alone."""


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


def arranged(program: Program, plan: PlacementPlan) -> list[Together]:
    """Return the instructions of a program in the order to take them.

    Parameters
    ----------
    program
        The program.
    plan
        Which core of a replica runs which instructions.
    """
    arrangement = _Arrangement(plan)
    for instr in program.instrs:
        arrangement.add(instr)
    arrangement.close()
    return arrangement.order


def exchange_of(first: Instr, program: Program, plan: PlacementPlan) -> Together:
    """Return the sums of the exchange with this first one, wherever it is in a program.

    Parameters
    ----------
    first
        The first sum of the exchange.
    program, plan
        The whole program, and which core of a replica runs which of its instructions.
    """
    programs = [program]
    programs += [block for instr in program.all_instrs() for block in instr.blocks]
    (within,) = (each for each in programs if any(i is first for i in each.instrs))
    (found,) = (each for each in arranged(within, plan) if each[0] is first)
    return found


class _Arrangement:
    """The instructions that were placed, and an exchange that more sums may join.

    What came since the last sum stays behind it, unless there is a further one.  It is
    kept with whether it waits for the exchange.
    """

    def __init__(self, plan: PlacementPlan) -> None:
        self.order: list[Together] = []
        self._plan = plan
        self._sums: list[Instr] = []
        self._after: list[Instr] = []
        self._since: list[tuple[Instr, bool]] = []
        self._awaited: set[int] = set()

    def add(self, instr: Instr) -> None:
        """Place the next instruction of the program."""
        joins, moves = _joins(instr), _moves(instr)
        waits = not self._awaited.isdisjoint(instr.inputs)
        if self._plan.before(instr) or not (joins or moves):
            self.close()
            self.order.append((instr,))
        elif joins:
            if waits or not self._has_room_for(instr):
                self.close()
            self._join(instr)
        elif self._sums:
            self._since.append((instr, waits))
            self._awaited.update(instr.outputs if waits else ())
        else:
            self.order.append((instr,))

    def _has_room_for(self, instr: Instr) -> bool:
        """Whether the exchange may have one more sum."""
        alike = all(_kind(each) == _kind(instr) for each in self._sums[:1])
        return alike and sum(map(_size, [*self._sums, instr])) <= LARGEST_EXCHANGE

    def _join(self, instr: Instr) -> None:
        """Let one more sum be part of the exchange."""
        self.order += [(each,) for each, waits in self._since if not waits]
        self._after += [each for each, waits in self._since if waits]
        self._since = []
        self._sums.append(instr)
        self._awaited.update(instr.outputs)

    def close(self) -> None:
        """Place the exchange, and what comes after it."""
        if self._sums:
            self.order.append(tuple(self._sums))
        self.order += [(instr,) for instr in self._after]
        self.order += [(instr,) for instr, _ in self._since]
        self._sums, self._after, self._since, self._awaited = [], [], [], set()


def _joins(instr: Instr) -> bool:
    """Whether an instruction is a sum that can be part of an exchange.

    Its shape has to be known, because the vectors lie side by side.
    """
    return (
        instr.definition is CROSS_REPLICA_SUM
        and instr.replica is None
        and instr.core != HOST
        and instr.specs[0].shape.is_fully_defined()
    )


def _kind(instr: Instr) -> tuple[object, ...]:
    """Return what the sums of one exchange have in common."""
    return instr.specs[0].dtype, instr.attrs["groups"], instr.core


def _size(instr: Instr) -> int:
    """Return how many bytes a core brings to a sum."""
    spec = instr.specs[0]
    return spec.dtype.size * math.prod(size or 0 for size in spec.shape.as_list())


def _moves(instr: Instr) -> bool:
    """Whether an instruction may change places with a sum."""
    definition = instr.definition
    return fuses(instr) or definition is CONST or definition in READS
