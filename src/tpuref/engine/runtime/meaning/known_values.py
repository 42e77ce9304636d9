"""Values of a program that an earlier slot holds, so that they are not computed."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from tpuref.engine.ops.definition import Access, Flow, Place
from tpuref.engine.program import Instr, Program

_SMALL = 16
"""Constants of no more elements are compared."""

_Variable = tuple[str, int, int | None]
"""The handle of a variable, and the core and the replica that see its value."""


def is_function(instr: Instr) -> bool:
    """Whether an instruction depends on nothing but its inputs."""
    definition = instr.definition
    return (
        definition.foldable and not instr.blocks and definition.place is Place.ANYWHERE
    )


def without_repeats(program: Program) -> Program:
    """Return a program that computes no value that an earlier slot has.

    Programs with towers or several logical cores are returned unchanged.  Operations
    that only forward a value stay: traces show them by their names.
    """
    for instr in program.instrs:
        copies = instr.definition.flow is Flow.COPY
        if copies or instr.replica is not None or instr.core > 0:
            return program
    earlier = known_values(program)
    instrs = [
        replace(
            instr,
            inputs=tuple(earlier.get(slot, slot) for slot in instr.inputs),
            blocks=tuple(map(without_repeats, instr.blocks)),
        )
        for instr in program.instrs
        if instr.definition.traits.forwards
        or any(slot not in earlier for slot in instr.outputs or [None])
    ]
    results = tuple(earlier.get(slot, slot) for slot in program.results)
    return replace(program, instrs=tuple(instrs), results=results)


def known_values(program: Program) -> dict[int, int]:
    """Return an earlier slot with its value, for each slot where there is one.

    A forwarded output has the value of its input, equal functions of equal inputs have
    equal results, and a variable keeps its value until something may write it.  Two
    results of the program never share an array, as their owners may write to them.
    """
    results = {*program.results}
    earlier: dict[int, int] = {}
    functions: dict[Hashable, tuple[int, ...]] = {}
    reads: dict[_Variable, tuple[int, ...]] = {}
    for instr in program.instrs:
        inputs = tuple(earlier.get(slot, slot) for slot in instr.inputs)
        if instr.definition.traits.forwards:
            earlier[instr.outputs[0]] = inputs[0]
            continue
        if is_function(instr):
            outputs = functions.setdefault(_function_key(instr, inputs), instr.outputs)
        elif instr.definition.effects.access is Access.READ:
            outputs = reads.setdefault(_variable_of(instr), instr.outputs)
        else:
            _note_written(instr, reads)
            continue
        if outputs is not instr.outputs and results.isdisjoint(instr.outputs):
            earlier.update(zip(instr.outputs, outputs, strict=True))
    return earlier


def _function_key(instr: Instr, inputs: tuple[int, ...]) -> Hashable:
    if instr.definition.traits.constant:
        value = np.asarray(instr.attrs["value"], instr.specs[0].dtype.np)
        if value.size <= _SMALL and value.dtype.kind in "biufc":
            return instr.core, value.dtype, value.shape, value.tobytes()
    elif all(map(_is_plain, instr.attrs.values())):
        # Not the values themselves, of which 0.0, -0.0 and False are equal.
        return instr.core, instr.op, inputs, repr(sorted(instr.attrs.items()))
    return instr.outputs  # equal to no other


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bool | int | float)


def _note_written(instr: Instr, values: dict[_Variable, tuple[int, ...]]) -> None:
    """Note the value of an assignment; any other effect may change each variable."""
    if instr.definition.effects.access is None:
        values.clear()
        return
    handle = instr.attrs["handle"]
    for variable in [variable for variable in values if variable[0] == handle]:
        del values[variable]
    values[_variable_of(instr)] = instr.outputs


def _variable_of(instr: Instr) -> _Variable:
    return instr.attrs["handle"], instr.core, instr.replica
