"""The estimated work of a program, which decides how many processes run it."""

import math
from collections.abc import Sequence

from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.fusion import fuses

LIGHT_WORK = 1 << 18
"""The most work of a program whose cores all run on one process.

Waking a second process takes longer than half of it: 100 operations on 8 cores are
faster on two processes from 3,000 elements a core on, 10 operations from 16,000 on.
"""

_ALONE = 1 << 12  # extra cost of an operation that cannot be batched over cores


def workload(program: Program, replicas: int, inputs: Sequence[int]) -> float:
    """Return the number of elements that all replicas compute, infinite if unknown.

    It is unknown with loops, branches, host calls, collectives and queues.

    `replicas` is their number, `inputs` has the number of elements of each input.
    """
    sizes: dict[int, float] = dict(zip(program.parameters, inputs, strict=True))
    total = 0.0
    for instr in program.instrs:
        for slot, spec in zip(instr.outputs, instr.specs, strict=True):
            size = spec.shape.num_elements()
            sizes[slot] = math.inf if size is None else size
        work = _work(instr, [sizes[slot] for slot in (*instr.inputs, *instr.outputs)])
        total += work * (replicas if instr.replica is None else 1)
    return total


def _work(instr: Instr, sizes: Sequence[float]) -> float:
    """Return the cost of an instruction, from the sizes of its inputs and output.

    A product of matrices [m, k] and [k, n] has sqrt(mk * kn * mn) = mkn
    multiplications; for a convolution this is too small by the width of its filter.
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
    """Whether an instruction costs nothing but time on its core."""
    touches = instr.definition.effects.access is not None and instr.core != HOST
    return fuses(instr) or touches
