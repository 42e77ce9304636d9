"""Chains of elementwise operations, cut where XLA would repeat them."""

from collections import Counter
from collections.abc import Sequence

import jax

from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.xla.value import Value

LONGEST = 24
"""The largest number of operations that each user of their result may repeat.

With 8, gelu is cut and BERT takes 5 % longer; 24 and 40 are alike for an LSTM.
"""


class Chains:
    """The elementwise operations of a program, as XLA fuses them.

    XLA fuses a chain of cheap operations into each user of its result, which repeats
    them. In the backward pass of a recurrence the users of one step contain the chain
    of the next, so that the work grows with the square of the steps.
    """

    def __init__(self, program: Program) -> None:
        self._uses = Counter(slot for instr in program.instrs for slot in instr.inputs)
        self._lengths: dict[int, int] = {}

    def cut(self, instr: Instr, outputs: Sequence[Value]) -> Sequence[Value]:
        """Return the outputs of an instruction; those of a long chain are kept once."""
        if not instr.definition.batching.broadcasts:
            return outputs
        length = 1 + sum(self._lengths.get(slot, 0) for slot in instr.inputs)
        if length <= LONGEST or max(self._uses[slot] for slot in instr.outputs) < 2:
            self._lengths.update(dict.fromkeys(instr.outputs, length))
            return outputs
        return [
            value
            if value.is_on_host
            else value._replace(array=jax.lax.optimization_barrier(value.array))
            for value in outputs
        ]
