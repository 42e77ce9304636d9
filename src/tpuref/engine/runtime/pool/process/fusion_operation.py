"""Operations of a fusion: how one of them can be computed for all cores."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tpuref.engine.ops.definition import OpDef, outputs_of
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.columns import APART, SAME, Shape
from tpuref.engine.runtime.pool.process.fusion_value import Value
from tpuref.kernels import elementwise as kernel

GATHERED_BYTES = 4096
"""The largest array of a core that is copied into a stack, to save calls."""

FOLDED_BYTES = 1 << 16
"""The largest array that is computed while planning, if no run changes it."""


def origins(instrs: Sequence[Instr]) -> dict[int, int]:
    """Return for each slot that forwards a value the slot of its origin."""
    known: dict[int, int] = {}
    for instr in instrs:
        if instr.definition.traits.forwards:
            (source,), (target,) = instr.inputs, instr.outputs
            known[target] = known.get(source, source)
    return known


def shapes_of(instr: Instr, operands: Sequence[Value]) -> Sequence[Shape | None]:
    """Return the shapes of the outputs, None for one that is not static."""
    if any(value.shape is None for value in operands):
        return [None] * len(instr.outputs)
    known = (value.operand for value in operands)
    inferred = outputs_of(instr.definition.infer(*known, **instr.attrs))
    shapes = [
        spec.shape.merge_with(stated.shape)
        for spec, stated in zip(inferred, instr.specs, strict=True)
    ]
    return [
        tuple(shape.as_list()) if shape.is_fully_defined() else None for shape in shapes
    ]


def is_arithmetic(definition: OpDef, dtype: np.dtype[Any]) -> bool:
    """Whether an operation on one element type is a kernel of exact arithmetic."""
    if not definition.batching.elementwise:
        return False
    name = getattr(definition.function([dtype, dtype]), "__name__", "")
    return name in kernel.OPERATIONS


def can_stack(shape: Shape | None, operands: Sequence[Value]) -> bool:
    """Whether one call for all cores is worth the copies into stacks."""
    return shape is not None and all(
        value.kind != APART or value.whole or value.nbytes <= GATHERED_BYTES
        for value in operands
    )


def elementary_of(instr: Instr, operands: Sequence[Value]) -> str | None:
    """Return the name of the kernel of an elementwise operation, if it has one."""
    results = [spec.dtype.np for spec in instr.specs]
    if {np.dtype(np.float32)} != {*results, *(value.dtype for value in operands)}:
        return None
    name = instr.definition.elementary(
        [value.operand for value in operands], instr.attrs
    )
    return name if name in kernel.OPERATIONS else None


def images_of(instr: Instr, operands: Sequence[Value]) -> int | None:
    """Return the index of the images if one call can compute those of all cores."""
    by_image = instr.definition.batching.by_image
    if by_image is None:
        return None
    place = by_image(*(value.operand for value in operands), **instr.attrs)
    alone = [k for k, value in enumerate(operands) if value.kind != SAME] == [place]
    return place if alone else None


def is_batched(instr: Instr, shape: Shape | None, operands: Sequence[Value]) -> bool:
    """Whether one call of a batched operation has the bits of a call for each core.

    It works on the last axes of operands of equal rank, so the axis of the cores is
    only one more in front.
    """
    ranks = {len(value.shape or ()) for value in operands}
    alike = ranks == {len(shape or ())} and min(ranks) >= 2
    last = instr.attrs.get("axis", -1) == -1
    return instr.definition.batching.batched and alike and last


def is_foldable(instr: Instr, shape: Shape | None, operands: Sequence[Value]) -> bool:
    """Whether the result is small and the same in every run."""
    if shape is None or math.prod(shape) * instr.specs[0].dtype.size > FOLDED_BYTES:
        return False
    known = all(value.known is not None for value in operands)
    return known or instr.definition.batching.of_shape


def stacks_rows(
    instr: Instr, shapes: Sequence[Shape | None], operands: Sequence[Value]
) -> bool:
    """Whether the rule of an operation for all cores can compute it."""
    return (
        instr.definition.batching.stacked is not None
        and None not in shapes
        and operands[0].kind != SAME
        and all(value.known is not None or value.kind != SAME for value in operands)
        and can_stack(shapes[0], operands)
    )


def stacking(instr: Instr, shapes: Sequence[Shape]) -> Callable[..., Any]:
    """Return the function of an operation for all cores; `shapes` are the stacks'."""
    rule, attrs = instr.definition.batching.stacked, instr.attrs
    assert rule is not None

    def compute(*arrays: Array) -> Any:
        results = outputs_of(rule(*arrays, **attrs))
        return [
            array if array.shape == shape else array.reshape(shape)
            for array, shape in zip(results, shapes, strict=True)
        ]

    return compute


def function_of(instr: Instr, operands: Sequence[Value]) -> Callable[..., Any]:
    """Return the function of an operation, without the checks that explain errors."""
    function = instr.definition.function(value.dtype for value in operands)
    return partial(function, **instr.attrs) if instr.attrs else function
