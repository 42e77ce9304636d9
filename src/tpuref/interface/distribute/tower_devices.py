"""The devices of the towers, and their cores."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tower_placement import TowerPlacement
from tpuref.engine.ops.tpu import Replication


@dataclass(frozen=True)
class TowerDevices:
    """The devices of a strategy's towers."""

    names: tuple[str, ...]
    # The cores that run the towers; None if the host runs them.
    system: Replication | None = None
    # Whether the strategy and its variables behave as in TensorFlow 2
    replicas: bool = False

    @property
    def count(self) -> int:
        """The number of towers."""
        return len(self.names)

    def replication(self, inputs: int) -> Replication:
        """Return the attributes of a computation with so many inputs per replica."""
        if self.system is None:
            return Replication(self.count, inputs, on_host=True)
        return replace(self.system, inputs_per_replica=inputs)

    @contextlib.contextmanager
    def on(self, device: str) -> Iterator[None]:
        """Place the operations of a block on one device."""
        graph = get_default_graph()
        with graph.device(device), graph.in_tower(self._placement(device)):
            yield

    def on_tower(self, tower: int) -> contextlib.AbstractContextManager[None]:
        """Place the operations of a block on the device of one tower."""
        return self.on(self.names[tower])

    def _placement(self, device: str) -> TowerPlacement | None:
        """Return the core of a tower's device, or None for other devices."""
        if self.system is None or device not in self.names:
            return None
        return TowerPlacement(self.names.index(device), self.system)
