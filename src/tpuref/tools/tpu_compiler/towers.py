"""Towers as one program that every core runs, as a TPU runs them.

A tower's operations are instructions of one replica; the executor on XLA computes
those of all towers on every device.  Towers do the same, so the first one's operations
stand for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tpuref.base import error_codes as codes
from tpuref.engine.ops.definition import Flow
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.xla.errors import refusal


def merged(program: Program) -> Program:
    """Return a program without instructions of single replicas.

    Raises
    ------
    UnimplementedError
        If the towers do not run the same operations.
    """
    if all(instr.replica is None for instr in program.all_instrs()):
        return program
    variables: dict[str, list[str]] = {}
    whole = _merge(program, variables)
    own = [tuple(handles) for handles in variables.values() if len(set(handles)) > 1]
    return replace(whole, components=(*program.components, *own))


def _merge(block: Program, variables: dict[str, list[str]]) -> Program:
    """Merge the instructions of a block; note each tower's variables by the first's."""
    towers = sorted({i.replica for i in block.instrs if i.replica is not None})
    of_towers = {k: [i for i in block.instrs if i.replica == k] for k in towers}
    alias: dict[int, int] = {}
    for tower in towers[1:]:
        alias |= _align(of_towers[towers[0]], of_towers[tower], variables)
    kept = [
        replace(
            instr,
            replica=None,
            inputs=_renamed(instr.inputs, alias),
            blocks=tuple(_merge(inner, variables) for inner in instr.blocks),
        )
        for instr in block.instrs
        if instr.replica in (None, *towers[:1])
        and instr.definition.flow is not Flow.COPY  # all have the value
    ]
    made = {slot for instr in kept for slot in instr.outputs}
    results = tuple(s if s in made else alias.get(s, s) for s in block.results)
    return replace(block, instrs=tuple(kept), results=results)


def _renamed(slots: Sequence[int], alias: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(alias.get(slot, slot) for slot in slots)


def _align(
    first: Sequence[Instr], other: Sequence[Instr], variables: dict[str, list[str]]
) -> dict[int, int]:
    """Return the first tower's slot for each slot of another tower."""
    alias: dict[int, int] = {}
    rest = list(other)
    for instr in first:
        # Some run on the first tower alone, such as the update of the global step.
        if rest and rest[0].op == instr.op and len(rest[0].blocks) == len(instr.blocks):
            same = rest.pop(0)
            pairs = zip(same.outputs, instr.outputs, strict=True)
            alias.update((k, v) for k, v in pairs if k != v)
            _note_variables(instr, same, variables)
    if rest:
        why = f"tower {rest[0].replica} runs it, and tower {first[0].replica} does not"
        raise refusal(rest[0], why, codes.XLA_OPERATION)
    return alias


def _note_variables(
    first: Instr, other: Instr, variables: dict[str, list[str]]
) -> None:
    """Note the variable of another tower, in instructions and their blocks."""
    handle, own = first.attrs.get("handle"), other.attrs.get("handle")
    if isinstance(handle, str) and own is not None:
        handles = variables.setdefault(handle, [handle])
        if own not in handles:
            handles.append(own)
    for block, same in zip(first.blocks, other.blocks, strict=True):
        for inner, matching in zip(block.instrs, same.instrs, strict=False):
            _note_variables(inner, matching, variables)
