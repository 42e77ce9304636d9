"""How much there is to compute in a program."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.fusion import fuses

LIGHT_WORK = 1 << 18
"""The most work of a program whose cores are all carried by one process.

Waking a second process takes longer than half of it: 100 operations on 8 cores are
faster on two processes from 3,000 elements a core on, 10 operations from 16,000 on.
"""

_ALONE = 1 << 12  # what an operation takes more where each core computes it alone


def workload(program: Program, replicas: int, given: Sequence[int]) -> float:
    """Return how many elements all replicas compute, infinite if that is not known.

    It is not known of loops and branches, of what the host does, and of what waits for
    another replica or for something outside of the program.

    Parameters
    ----------
    program
        What the replicas run.
    replicas
        How many there are.
    given
        The number of elements of each input of a replica.
    """
    sizes: dict[int, float] = dict(zip(program.parameters, given, strict=True))
    total = 0.0
    for instr in program.instrs:
        for slot, spec in zip(instr.outputs, instr.specs, strict=True):
            known = spec.shape.num_elements()
            sizes[slot] = math.inf if known is None else known
        work = _work(instr, [sizes[slot] for slot in (*instr.inputs, *instr.outputs)])
        total += work * (replicas if instr.replica is None else 1)
    return total


def _work(instr: Instr, sizes: Sequence[float]) -> float:
    """Return what an instruction takes.

    The square root is the number of multiplications of a product of matrices, and that
    of a convolution but for the width of its filter.
    """
    definition = instr.definition
    if definition.traits.constant:
        return 0
    if not _is_plain(instr):
        return math.inf
    if definition.batching.elementwise:
        return max(sizes)
    work = sum(sizes)
    if len(sizes) == 3:
        work = max(work, math.sqrt(math.prod(sizes)))
    return (
        work
        if definition.batching.batched or definition.batching.stacked
        else work + _ALONE
    )


def _is_plain(instr: Instr) -> bool:
    """Whether an instruction takes nothing but its time on a core."""
    touches = instr.definition.effects.access is not None and instr.core != HOST
    return fuses(instr) or touches
