"""Between towers and replicas, inside of a replicated computation.

There, a tensor that belongs to no tower has a value on every replica, and an operation
of a tower uses the one of its own replica.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuref.distribute.grouping import unwrapped
from tpuref.distribute.values import PerDevice
from tpuref.functions.identity import identity
from tpuref.graph.build import apply
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.tensor import Tensor

if TYPE_CHECKING:
    from tpuref.distribute.strategy import DistributionStrategy


def spread(strategy: DistributionStrategy, tensor: Tensor) -> Any:
    """Return what each replica holds of a tensor, as the towers' values.

    With a single tower it is the tensor itself.
    """
    if strategy.is_single_tower:
        return tensor
    index = {}
    for tower, device in enumerate(strategy.worker_devices):
        with strategy.on_tower(tower):
            index[device] = identity(tensor)
    return PerDevice(index)


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
