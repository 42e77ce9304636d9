"""The tower and system of an operation."""

from dataclasses import dataclass

from tpuref.engine.ops.tpu import Replication

LABEL = "_tower"
"""The label with the placement of an operation that belongs to a tower."""

ALONG = "_along"
"""The label with the other towers' parts of an update.

They run whenever the labelled operation runs, which does not wait for them.
"""


@dataclass(frozen=True)
class TowerPlacement:
    """One tower of the cores of a system, as replicas."""

    tower: int
    system: Replication
