"""Cheap values that are computed again for a late reader instead of being kept.

The gradient of an activation reads values of its forward pass.  Some are the sum or the
product of a kept array and a number: to write such a value to memory and to read it
again takes longer than to compute it in the chain that reads it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.process.addition import Numbered

CHEAP = frozenset({"add", "subtract", "multiply", "negative", "square"})
"""The kernels of operations that are computed again."""

LEAST_ELEMENTS = 1 << 14
"""The least size of a value for one core: smaller ones stay in a cache."""


def recomputed(
    numbered: Sequence[Numbered],
    constants: Mapping[int, Array],
    wanted: Collection[int],
) -> list[Numbered]:
    """Compute cheap values again for their readers behind a product of matrices.

    Their large input is not kept for them: it has a reader that is as late.
    """
    sources = _sources([instr for instr, _ in numbered], constants)
    last = {slot: k for k, (instr, _) in enumerate(numbered) for slot in instr.inputs}
    fresh = min([0, *(slot for instr, _ in numbered for slot in instr.outputs)])
    made: dict[int, tuple[int, Numbered]] = {}  # with the number of products before
    copies: dict[tuple[int, int], int] = {}
    products, order = 0, list[Numbered]()
    for k, (instr, number) in enumerate(numbered):
        inputs = list(instr.inputs)
        for place, slot in enumerate(inputs):
            if slot not in sources or slot in wanted or last[sources[slot]] < k:
                continue
            before, (computing, own_number) = made[slot]
            if before == products:
                continue
            if (slot, products) not in copies:
                fresh -= 1
                copies[slot, products] = fresh
                order.append((replace(computing, outputs=(fresh,)), own_number))
            inputs[place] = copies[slot, products]
        order.append((replace(instr, inputs=tuple(inputs)), number))
        made.update((slot, (products, (instr, number))) for slot in instr.outputs)
        products += bool(instr.definition.batching.product)
    return order


def _sources(instrs: Sequence[Instr], constants: Mapping[int, Array]) -> dict[int, int]:
    """Return, by the output of each cheap operation, its only large input.

    The readers of such an output are elementwise, so a copy can join their chains.
    """
    operands = {
        slot: Operand(TensorShape(array.shape), as_dtype(array.dtype), array)
        for slot, array in constants.items()
    }
    sources: dict[int, int] = {}
    for instr in instrs:
        kernel = None
        if all(slot in operands for slot in instr.inputs):
            known = [operands[slot] for slot in instr.inputs]
            kernel = instr.definition.elementary(known, instr.attrs)
        if kernel is None:
            for slot in instr.inputs:
                sources.pop(slot, None)
        outputs = zip(instr.outputs, instr.specs, strict=True)
        operands.update((slot, Operand(s.shape, s.dtype)) for slot, s in outputs)
        changing = [slot for slot in instr.inputs if slot not in constants]
        if kernel in CHEAP and len(changing) == 1:
            size = instr.specs[0].shape.num_elements() or 0
            if size >= LEAST_ELEMENTS:
                sources[instr.outputs[0]] = changing[0]
    return sources
