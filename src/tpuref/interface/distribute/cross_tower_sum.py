"""The sums of `tf.tpu.cross_replica_sum` in towers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tpuref.base import nest
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.ops.collectives import Groups
from tpuref.interface.distribute.reduction import gathered
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, PerDevice


@dataclass(frozen=True)
class CrossTowerSum:
    """Sums the towers' values in groups; the merge function of `cross_replica_sum`."""

    groups: Groups
    towers: TowerDevices

    def __call__(self, values: Any) -> Any:
        """Return the sums of a nest of tensors for each tower."""
        return nest.map_structure(self._totals, values)

    def __str__(self) -> str:
        over = f" over the groups {self.groups}" if len(self.groups) > 1 else ""
        return f"cross_replica_sum{over}"

    def _totals(self, value: Any) -> PerDevice:
        totals: dict[int, Any] = {}
        for group in self.groups:
            towers = sorted(group)
            parts = [self._part(value, tower) for tower in towers]
            with self.towers.on_tower(towers[0]):
                total = gathered(VariableAggregation.SUM, parts)
            totals.update(dict.fromkeys(towers, total))
        return PerDevice({name: totals[k] for k, name in enumerate(self.towers.names)})

    def _part(self, value: Any, tower: int) -> Any:
        shared = not isinstance(value, DistributedValues)
        return value if shared else value.get(self.towers.names[tower])
