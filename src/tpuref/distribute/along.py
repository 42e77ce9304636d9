"""Results that are computed together, although none of them waits for another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tpuref.functions.control_flow import no_op
from tpuref.functions.identity import identity
from tpuref.functions.scopes import control_dependencies
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.tower_placement import ALONG


def operation_of(value: Any) -> Operation | None:
    """Return the operation that a value comes from, None for a plain value."""
    if isinstance(value, Tensor):
        return value.op
    return value if isinstance(value, Operation) else None


def along(value: Any, others: Sequence[Operation]) -> Any:
    """Return a tensor or operation such that `others` run whenever it does.

    Running one component of an update would leave the other components of the variable
    behind.
    """
    if isinstance(value, Tensor):
        copy = identity(value)
        copy.op.labels[ALONG] = tuple(others)
        return copy
    if isinstance(value, Operation):
        with control_dependencies([value]):
            done = no_op()
        assert done is not None
        done.labels[ALONG] = tuple(others)
        return done
    return value
