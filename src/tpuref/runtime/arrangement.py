"""The order in which a process takes the instructions of a program.

Sums over replicas that need nothing of each other are moved together, to be one
exchange: what does not need them comes before, what does comes after.  Only operations
that nobody sees from outside change places.  The order depends on the program alone, so
all processes agree on it.
"""

from __future__ import annotations

from tpuref.ops.collectives import CROSS_REPLICA_SUM
from tpuref.ops.sources import CONST
from tpuref.ops.state import READS
from tpuref.program import HOST, Instr, Program
from tpuref.runtime.fusion import fuses
from tpuref.runtime.placement_plan import PlacementPlan

Together = tuple[Instr, ...]
"""The sums of one exchange, or any other instruction alone."""


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


class _Arrangement:
    """The instructions that were placed, and an exchange that more sums may join."""

    def __init__(self, plan: PlacementPlan) -> None:
        self.order: list[Together] = []
        self._plan = plan
        self._sums: list[Instr] = []
        self._after: list[Instr] = []
        self._awaited: set[int] = set()

    def add(self, instr: Instr) -> None:
        """Place the next instruction of the program."""
        waits = not self._awaited.isdisjoint(instr.inputs)
        if self._plan.before(instr):
            self.close()
            self.order.append((instr,))
        elif _joins(instr):
            if waits or (self._sums and _kind(instr) != _kind(self._sums[0])):
                self.close()
            self._sums.append(instr)
            self._awaited.update(instr.outputs)
        elif not _moves(instr):
            self.close()
            self.order.append((instr,))
        elif waits:
            self._after.append(instr)
            self._awaited.update(instr.outputs)
        else:
            self.order.append((instr,))

    def close(self) -> None:
        """Place the exchange, and what waits for it."""
        if self._sums:
            self.order.append(tuple(self._sums))
        self.order += [(instr,) for instr in self._after]
        self._sums, self._after, self._awaited = [], [], set()


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


def _moves(instr: Instr) -> bool:
    """Whether an instruction may change places with a sum."""
    definition = instr.definition
    return fuses(instr) or definition is CONST or definition in READS
