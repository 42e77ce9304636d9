"""Towers as one program that every core runs, as a TPU runs them.

What all towers do is an instruction of all replicas already.  Others, such as random
numbers, are those of one replica, which the executor on XLA computes on every device.
Towers do the same, so the first one's operations stand for all.
"""

from collections import Counter
from dataclasses import replace

from tpuref.base import error_codes as codes
from tpuref.engine.ops.definition import Flow
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.xla.errors import refusal


def merged(program: Program) -> Program:
    """Return a program without instructions of single replicas.

    It raises UnimplementedError if the towers do not run the same operations.
    """
    if all(instr.replica is None for instr in program.all_instrs()):
        return program
    first = min([i.replica for i in program.instrs if i.replica is not None], default=0)
    left = Counter(instr.op for instr in program.instrs if instr.replica == first)
    rest = {instr.replica: left.copy() for instr in program.instrs}
    kept: list[Instr] = []
    for instr in program.instrs:
        if instr.replica in (None, first):
            if instr.definition.flow is not Flow.COPY:  # all have the value
                blocks = tuple(map(merged, instr.blocks))
                kept.append(replace(instr, replica=None, blocks=blocks))
            continue
        # Some run on the first tower alone, such as the update of the global step.
        rest[instr.replica][instr.op] -= 1
        if rest[instr.replica][instr.op] < 0 and not instr.definition.traits.constant:
            why = f"tower {instr.replica} runs it, and tower {first} does not"
            raise refusal(instr, why, codes.XLA_OPERATION)
    return replace(program, instrs=tuple(kept))
