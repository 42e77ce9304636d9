"""Operations that 1.11's towers have in common, taken in one step for all of them.

Each tower has instructions of its own, one tower after the other.  A process that
carries several towers pairs the first instruction of each, then the second, and so on,
as far as they are alike.  Towers see nothing of each other between the instructions
that all of them take, so only the order within each tower matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from tpuref.engine.ops.definition import Place
from tpuref.engine.program import HOST, Instr
from tpuref.engine.runtime.pool.process.arrangement import Together


class Row(NamedTuple):
    """The same operation of several towers.

    Attributes
    ----------
    instrs
        The instruction of each core's tower, in the order of the cores.
    """

    instrs: tuple[Instr, ...]


def in_rows(order: Sequence[Together], replicas: Sequence[int]) -> list[Together | Row]:
    """Return the instructions of a process, with rows where towers are alike.

    Parameters
    ----------
    order
        The instructions in the order to take them.
    replicas
        The replica of each core; no replica has another core.
    """
    instrs = [together[0] for together in order if together[0].replica is not None]
    counts = Counter(slot for instr in instrs for slot in instr.outputs)
    common = {slot for slot, count in counts.items() if count > 1}
    taken: list[Together | Row] = []
    waiting: list[Instr] = []
    for together in order:
        instr = together[0]
        if instr.replica is not None and instr.replica not in replicas:
            continue
        if instr.replica is not None and _pairs(instr):
            waiting.append(instr)
        else:
            if not instr.definition.traits.constant:
                taken += _paired(waiting, replicas, common)
                waiting = []
            taken.append(together)
    return taken + _paired(waiting, replicas, common)


def _paired(
    instrs: Sequence[Instr], replicas: Sequence[int], common: Set[int]
) -> list[Together | Row]:
    """Return rows as far as the towers are alike, then the other instructions.

    Into a slot that towers have in common, a row puts the values of all of them.
    """
    towers = [[i for i in instrs if i.replica == replica] for replica in replicas]
    taken: list[Together | Row] = []
    for row in zip(*towers, strict=False):
        kinds = [(_kind(instr), common & {*instr.outputs}) for instr in row]
        if any(kind != kinds[0] for kind in kinds):
            break
        taken.append(Row(row))
    left = {id(instr) for tower in towers for instr in tower[len(taken) :]}
    return taken + [(instr,) for instr in instrs if id(instr) in left]


def _pairs(instr: Instr) -> bool:
    """Whether an instruction of a tower can be part of a row.

    Whoever looks from outside sees one tower after the other.
    """
    definition = instr.definition
    computes = definition.foldable and definition.place is Place.ANYWHERE
    able = computes and not definition.traits.constant
    arrays = any(isinstance(value, np.ndarray) for value in instr.attrs.values())
    there = instr.core != HOST and not arrays
    return there and (able or definition.effects.access is not None)


def _kind(instr: Instr) -> tuple[Any, ...]:
    """Return the common properties of the instructions of a row."""
    attrs = dict(instr.attrs)
    if instr.definition.effects.access is not None:
        del attrs["handle"]  # each tower has variables of its own
    specs = [spec.describe() for spec in instr.specs]
    return instr.op, instr.core, len(instr.inputs), attrs, specs
