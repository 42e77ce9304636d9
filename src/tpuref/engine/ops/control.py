"""Branches, loops, and copies between towers, which the interpreters implement."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import (
    Block,
    BlockSpec,
    ControlFlow,
    Flow,
    OpDef,
    Operand,
)
from tpuref.engine.ops.meaning import Array


def _infer_if(
    predicate: Operand, *captured: Operand, blocks: Sequence[BlockSpec]
) -> Sequence[TensorSpec]:
    if predicate.dtype != bool_:
        raise TypeError(f"the predicate must be bool, got {predicate.describe()}")
    first, second = blocks
    return tuple(
        TensorSpec(a.shape.most_specific_compatible_shape(b.shape), a.dtype)
        for a, b in zip(first.results, second.results, strict=True)
    )


def _infer_while(
    *operands: Operand,
    loop_variables: int,
    maximum_iterations: int | None,
    blocks: Sequence[BlockSpec],
) -> Sequence[TensorSpec]:
    """Return the specs of loop variables and residuals."""
    # Shape invariants are the body's parameters, so they hold in every iteration.
    # Results of the body beyond the loop variables are residuals: their elements in
    # all iterations, flattened and concatenated, since iterations may differ in shape.
    body = blocks[1]
    kept = [TensorSpec([None], spec.dtype) for spec in body.results[loop_variables:]]
    return *body.parameters[:loop_variables], *kept


def nothing_kept(specs: Sequence[TensorSpec]) -> list[list[Array]]:
    """Return an empty list of iterations for each residual of a loop."""
    return [[] for _ in specs]


def joined(kept: Sequence[Sequence[Array]], specs: Sequence[TensorSpec]) -> list[Array]:
    """Return each residual of a loop: the elements of all iterations as a vector."""
    return [
        np.concatenate([np.empty(0, spec.dtype.np), *(a.reshape(-1) for a in arrays)])
        for arrays, spec in zip(kept, specs, strict=True)
    ]


def _infer_copy(x: Operand, *, source: int, targets: tuple[int, ...]) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype)


def _all_but_the_first(inputs: int, attrs: Any) -> int:
    return inputs - 1


def _all(inputs: int, attrs: Any) -> int:
    return inputs


IF = OpDef(
    "If",
    _infer_if,
    control=ControlFlow(
        Flow.BRANCH,
        (Block("true", _all_but_the_first), Block("false", _all_but_the_first)),
    ),
    xla="control",
)
WHILE = OpDef(
    "While",
    _infer_while,
    control=ControlFlow(Flow.LOOP, (Block("condition", _all), Block("body", _all))),
    xla="control",
)
TOWER_COPY = OpDef(
    "TowerCopy", _infer_copy, control=ControlFlow(Flow.COPY), gradient="effects"
)

OPERATIONS: tuple[OpDef, ...] = (IF, WHILE, TOWER_COPY)
