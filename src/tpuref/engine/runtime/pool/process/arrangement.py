"""The order of the instructions of a program, and the transfers between cores.

Sums over replicas that do not depend on each other move together, into one exchange:
operations that do not depend on them come before, those that do come after.  Only
operations without a visible effect change places.  The order depends on the program
alone: every process computes it by itself, and all reach their collectives in the same
order.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tpuref.engine.ops.definition import Access
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.fusion import fuses

LARGEST_EXCHANGE = 1 << 18
"""The most bytes of a core in an exchange of several sums.

Eight sums of 32 KiB take 0.8 of the time of sums apart, two of 128 KiB the same; but
four of 1 MiB take three times as long.
"""

Together = tuple[Instr, ...]
"""The sums of one exchange, or any other instruction alone."""


class Transfer(NamedTuple):
    """The transfer of a slot from one logical core to another."""

    slot: int
    source: int
    target: int


class PlacementPlan:
    """The logical cores of all instructions of a program, and the transfers.

    Every core computes the same plan, so sends and receives match, in the same order,
    without a negotiation.

    `cores` is the number of logical cores of a replica.
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
        """Return the transfers before an instruction."""
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
    transfers = []
    for slot in slots:
        for target in sorted(wanted_on - held[slot]):
            transfers.append(Transfer(slot, min(held[slot]), target))
            held[slot].add(target)
    return transfers


def arranged(program: Program, plan: PlacementPlan) -> list[Together]:
    """Return the instructions of a program in the order of their steps."""
    arrangement = _Arrangement(plan)
    for instr in program.instrs:
        arrangement.add(instr)
    arrangement.close()
    return arrangement.order


def exchange_of(first: Instr, program: Program, plan: PlacementPlan) -> Together:
    """Return the sums of the exchange that begins with `first`.

    `program` is the whole program; the exchange may be in one of its blocks.
    """
    programs = [program]
    programs += [block for instr in program.all_instrs() for block in instr.blocks]
    (within,) = (each for each in programs if any(i is first for i in each.instrs))
    (sums,) = (each for each in arranged(within, plan) if each[0] is first)
    return sums


class _Arrangement:
    """The instructions in order so far, and an open exchange that more sums may join.

    `_since` has the instructions since the last sum, each with whether it depends on
    the exchange.  When a further sum joins, the independent ones move before the
    exchange and the dependent ones after it; if none joins, they keep their place.
    A large sum, with which no other can share an exchange, moves before it too.
    """

    def __init__(self, plan: PlacementPlan) -> None:
        self.order: list[Together] = []
        self._plan = plan
        self._sums: list[Instr] = []
        self._after: list[Instr] = []
        self._since: list[tuple[Instr, bool]] = []
        self._awaited: set[int] = set()

    def add(self, instr: Instr) -> None:
        """Add the next instruction of the program."""
        joins, moves = _joins(instr), _moves(instr)
        waits = not self._awaited.isdisjoint(instr.inputs)
        if self._plan.before(instr) or not (joins or moves):
            self.close()
            self.order.append((instr,))
        elif joins:
            alone = output_bytes(instr) >= LARGEST_EXCHANGE
            if waits or not (alone or self._has_room_for(instr)):
                self.close()
            self._divide_since()
            if alone:
                self.order.append((instr,))
            else:
                self._sums.append(instr)
                self._awaited.update(instr.outputs)
        elif self._sums:
            self._since.append((instr, waits))
            self._awaited.update(instr.outputs if waits else ())
        else:
            self.order.append((instr,))

    def _has_room_for(self, instr: Instr) -> bool:
        """Whether the exchange may have one more sum."""
        alike = all(_kind(each) == _kind(instr) for each in self._sums[:1])
        size = sum(map(output_bytes, [*self._sums, instr]))
        return alike and size <= LARGEST_EXCHANGE

    def _divide_since(self) -> None:
        """Move independent instructions before the exchange, others after it."""
        self.order += [(each,) for each, waits in self._since if not waits]
        self._after += [each for each, waits in self._since if waits]
        self._since = []

    def close(self) -> None:
        """Append the exchange and the instructions after it to the order."""
        if self._sums:
            self.order.append(tuple(self._sums))
        self.order += [(instr,) for instr in self._after]
        self.order += [(instr,) for instr, _ in self._since]
        self._sums, self._after, self._since, self._awaited = [], [], [], set()


def _joins(instr: Instr) -> bool:
    """Whether an instruction is a sum that can join an exchange.

    Its shape must be static, because the vectors are concatenated.
    """
    return (
        instr.definition.collective is not None
        and instr.replica is None
        and instr.core != HOST
        and instr.specs[0].shape.is_fully_defined()
    )


def _kind(instr: Instr) -> tuple[object, ...]:
    """Return the properties that all sums of an exchange share."""
    return instr.specs[0].dtype, instr.attrs["groups"], instr.core


def output_bytes(instr: Instr) -> int:
    """Return the size of the first output, 0 if it is not static."""
    spec = instr.specs[0]
    return spec.dtype.size * (spec.shape.num_elements() or 0)


def _moves(instr: Instr) -> bool:
    """Whether an instruction may change places with a sum."""
    definition = instr.definition
    reads = definition.effects.access is Access.READ
    return fuses(instr) or definition.traits.constant or reads
