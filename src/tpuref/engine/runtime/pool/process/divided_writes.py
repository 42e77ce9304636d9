"""Writes of values that are equal on all replicas, divided between the processes.

An update of a weight by a sum over all replicas is such a write, and only one value of
a variable is kept.  So one process computes it, and the others leave it out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tpuref.engine.ops.definition import Access
from tpuref.engine.program import HOST, Instr, Program, users_of
from tpuref.engine.runtime.pool.messages import INLINE_BYTES
from tpuref.engine.runtime.pool.process.arrangement import output_bytes
from tpuref.engine.runtime.pool.process.fusion import fuses

WRITE_BYTES = 1 << 15
"""A small write with its messages takes as long as writing this many bytes."""


class Share(NamedTuple):
    """What one process writes for all, and the instructions that it leaves to others.

    `handles` name variables, `left_out` has ids of instructions; `unused` are the
    variables that these alone use.
    """

    handles: frozenset[str] = frozenset()
    left_out: frozenset[int] = frozenset()
    unused: frozenset[str] = frozenset()


def share_of(
    program: Program, readers: Mapping[int, set[int]], processes: int, number: int
) -> Share:
    """Return the share of one of the processes; all of them divide in the same way.

    `readers` has the ids of the readers of each slot.
    """
    shares: list[list[Instr]] = [[] for _ in range(processes)]
    loads = [0] * processes
    for group in _groups(program, readers):
        least = loads.index(min(loads))
        shares[least] += group
        loads[least] += _load(group)
    own = shares.pop(number)
    left_out = {id(write) for share in shares for write in share}
    for instr in reversed(program.instrs):
        read_by = [readers.get(slot) for slot in instr.outputs]
        reads = instr.definition.effects.access is Access.READ
        if (fuses(instr) or reads) and all(ids and ids <= left_out for ids in read_by):
            left_out.add(id(instr))
    every = set(users_of(program.all_instrs()))
    used = users_of(i for i in program.all_instrs() if id(i) not in left_out)
    handles = frozenset(write.attrs["handle"] for write in own)
    return Share(handles, frozenset(left_out), frozenset(every.difference(used)))


def _groups(
    program: Program, readers: Mapping[int, set[int]]
) -> Sequence[Sequence[Instr]]:
    """Return the writes that can be divided, the largest group first.

    Writes of a group have operations in common, except those with small results.
    """
    alike = _alike(program)
    writes = {
        id(write): write
        for write in _last_accesses(program)
        if write.inputs[0] in alike and not readers.get(write.outputs[0])
    }
    joined: dict[int, int] = {}  # by slot: itself, or another slot of its group

    def group_of(slot: int) -> int:
        while joined[slot] != slot:
            joined[slot] = slot = joined[joined[slot]]
        return slot

    for instr in program.instrs:
        shared = fuses(instr) and alike.issuperset(instr.outputs)
        if id(instr) in writes or (shared and output_bytes(instr) > INLINE_BYTES):
            first = instr.outputs[0]
            joined.update(dict.fromkeys(instr.outputs, first))
            for slot in instr.inputs:
                if slot in joined:
                    joined[group_of(slot)] = first
    groups: dict[int, list[Instr]] = {}
    for write in writes.values():
        groups.setdefault(group_of(write.outputs[0]), []).append(write)
    return sorted(groups.values(), key=_load, reverse=True)


def _alike(program: Program) -> set[int]:
    """Return the slots whose values are equal on all replicas."""
    slots: set[int] = set()
    written = {component for own in program.components for component in own}
    for instr in program.instrs:
        definition = instr.definition
        if definition.collective is not None:
            equal = len(instr.attrs["groups"] or [()]) == 1  # of all replicas
        elif definition.effects.access is Access.READ:
            equal = instr.attrs["handle"] not in written
        else:
            equal = definition.traits.constant or fuses(instr)
            equal = equal and slots.issuperset(instr.inputs)
        if equal and instr.replica is None and instr.core != HOST:
            slots.update(instr.outputs)
        inner = [each for block in instr.blocks for each in block.all_instrs()]
        for each in (instr, *inner):
            if each.definition.writes:
                written.add(each.attrs[each.definition.writes])
    return slots


def _last_accesses(program: Program) -> Iterator[Instr]:
    """Yield the writes of all replicas that are the last use of a variable.

    Everything before them in the program only reads the variable.
    """
    outside = set(map(id, program.instrs))
    accesses: dict[str, list[Instr]] = {}
    for instr in program.all_instrs():
        name = instr.definition.reads or instr.definition.writes
        if name:
            accesses.setdefault(instr.attrs[name], []).append(instr)
    for instrs in accesses.values():
        *before, last = instrs
        kinds = {instr.definition.effects.access for instr in before}
        writes = last.definition.effects.access in (Access.ASSIGN, Access.UPDATE)
        plain = all(id(i) in outside and i.core != HOST for i in instrs)
        if writes and plain and last.replica is None and kinds <= {Access.READ}:
            yield last


def _load(writes: Sequence[Instr]) -> int:
    return sum(WRITE_BYTES + output_bytes(write) for write in writes)
