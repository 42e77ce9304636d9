"""Matrices of derivatives, built row by row in a loop."""

from __future__ import annotations

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
"""Gives the gradient of each source from the gradient of the target."""


def jacobians(
    pullback: Pullback, target: Tensor, sources: Sequence[Any]
) -> list[Tensor | None]:
    """Return for each source the derivatives of each element of a target.

    The result has the shape ``target.shape + source.shape``; it is None for a source
    that the target does not depend on.
    """
    xs = [convert_to_tensor(source) for source in sources]
    count = size(target)

    def row(k: Tensor) -> Sequence[Tensor | None]:
        seed = one_hot(k, count, dtype=target.dtype)
        return pullback(reshape(seed, shape(target)))

    return [
        None if rows is None else reshape(rows, concat([shape(target), shape(x)], 0))
        for rows, x in zip(stacked(row, count, xs), xs, strict=True)
    ]


def stacked(
    row: Callable[[Tensor], Sequence[Tensor | None]], count: Any, xs: Sequence[Tensor]
) -> list[Tensor | None]:
    """Return the rows 0 to `count` of each source, one below the other.

    Parameters
    ----------
    row
        Gives for one number a tensor like each of `xs`, or None.
    count
        How many rows there are.
    xs
        The sources.
    """
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
