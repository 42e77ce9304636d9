"""Jacobians, built row by row in a loop."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base.shapes import TensorShape
from tpuref.engine.graph.convert import constant, convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import add
from tpuref.interface.functions.control_flow import while_loop
from tpuref.interface.functions.creation import one_hot, zeros
from tpuref.interface.functions.extents import shape, size
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import expand_dims, reshape

Pullback = Callable[[Tensor], Sequence[Tensor | None]]
"""Maps the gradient of the target to the gradient of each source."""


def jacobians(
    pullback: Pullback, target: Tensor, sources: Sequence[Any]
) -> list[Tensor | None]:
    """Return the Jacobian of a target by each source, None for an unconnected one.

    Its shape is ``target.shape + source.shape``.
    """
    xs = [convert_to_tensor(source) for source in sources]
    count = size(target)

    def row(k: Tensor) -> Sequence[Tensor | None]:
        return pullback(reshape(one_hot(k, count, dtype=target.dtype), shape(target)))

    return [
        None if rows is None else reshape(rows, concat([shape(target), shape(x)], 0))
        for rows, x in zip(stacked(row, count, xs), xs, strict=True)
    ]


def stacked(
    row: Callable[[Tensor], Sequence[Tensor | None]], count: Any, xs: Sequence[Tensor]
) -> list[Tensor | None]:
    """Stack ``row(0)`` to ``row(count - 1)`` for each of `xs`.

    ``row(k)`` returns one tensor shaped like each of `xs`, or None for an unconnected
    one.
    """
    # One pullback in a while loop instead of `count` copies of the backward pass in
    # the graph. The tables grow along axis 0, so their shape invariant leaves it open.
    missing = [False] * len(xs)

    def body(k: Tensor, *tables: Tensor) -> list[Tensor]:
        longer = []
        for number, (table, part) in enumerate(zip(tables, row(k), strict=True)):
            missing[number] |= part is None
            whole = part is not None
            longer.append(concat([table, expand_dims(part, 0)], 0) if whole else table)
        return [add(k, 1), *longer]

    start = [zeros(concat([[0], shape(x)], 0), x.dtype) for x in xs]
    shapes = [TensorShape([None]).concatenate(x.shape) for x in xs]
    _, *tables = while_loop(
        lambda k, *tables: k < count,
        body,
        [constant(0), *start],
        shape_invariants=[TensorShape([]), *shapes],
        return_same_structure=True,
    )
    return [None if m else t for m, t in zip(missing, tables, strict=True)]
