"""The tower and system of an operation."""

from dataclasses import dataclass

from tpuref.engine.ops.tpu import Replication

LABEL = "_tower"
"""The label with the placement of an operation that belongs to a tower."""

ALONG = "_along"
"""The label with the operations that run whenever an operation does.

It does not wait for them: they are the parts of an update that other towers run.
"""


@dataclass(frozen=True)
class TowerPlacement:
    """One tower of the cores of a system, as replicas."""

    tower: int
    system: Replication
