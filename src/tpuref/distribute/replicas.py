"""From towers to replicas, inside of a replicated computation.

There, a tensor that belongs to no tower has a value on every replica, and an operation
of a tower uses the one of its own replica.
"""

from __future__ import annotations

from typing import Any

from tpuref.distribute.grouping import unwrapped
from tpuref.graph.build import apply
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.tensor import Tensor


def own(value: Any) -> Tensor:
    """Return a tensor that has on each replica the value of its own tower.

    Raises
    ------
    ValueError
        If the towers' values differ in dtype or shape.
    """
    parts = [convert_to_tensor(part) for part in unwrapped(value)]
    if len(parts) == 1:
        return parts[0]
    tensor: Tensor = apply("TowerOwn", *parts)
    return tensor
