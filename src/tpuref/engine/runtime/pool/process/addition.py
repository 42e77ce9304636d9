"""Sums of several arrays as additions of two.

A partial sum is added to right after its next operand: the operand is still in a cache,
its memory is free for the next, and the addition may join a chain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tpuref.base.dtypes import bfloat16, float16
from tpuref.base.spec import TensorSpec
from tpuref.engine.program import Instr

Numbered = tuple[Instr, int]
"""An instruction and its program counter."""


def by_twos(numbered: Sequence[Numbered]) -> list[Numbered]:
    """Replace each sum by additions from left to right, each as early as possible."""
    specs = {
        s: spec for i, _ in numbered for s, spec in zip(i.outputs, i.specs, strict=True)
    }
    there = {slot: k for k, (i, _) in enumerate(numbered) for slot in i.outputs}
    after: dict[int, list[Numbered]] = {k: [] for k in range(len(numbered))}
    partial_sum = -1  # no program has negative slots
    for k, (instr, number) in enumerate(numbered):
        operation = instr.definition.batching.of_two
        if operation is None or not _divides(instr, specs):
            after[k].insert(0, (instr, number))
            continue
        total, *others = instr.inputs
        at = there[total]
        for slot in others:
            at = max(at, there[slot])
            partial_sum -= 1
            both, total = (total, slot), partial_sum
            add = replace(instr, op=operation, inputs=both, outputs=(total,))
            after[at].append((add, number))
        after[at][-1] = replace(add, outputs=instr.outputs), number
        there[instr.outputs[0]] = at
    return [each for group in after.values() for each in group]


def _divides(instr: Instr, specs: Mapping[int, TensorSpec]) -> bool:
    """Whether additions of two give the bits of a sum.

    It adds 16-bit numbers in float32, and refuses shapes that only broadcast.
    """
    return (
        len(instr.inputs) > 1
        and instr.specs[0].dtype not in (float16, bfloat16)
        and instr.specs[0].shape.is_fully_defined()
        and all(
            slot in specs and specs[slot].shape == instr.specs[0].shape
            for slot in instr.inputs
        )
    )
