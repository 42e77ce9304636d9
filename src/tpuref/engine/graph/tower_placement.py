"""The tower and system of an operation."""

from __future__ import annotations

from dataclasses import dataclass

from tpuref.engine.ops.tpu import Replication

LABEL = "_tower"
"""The label with the placement of an operation that belongs to a tower."""

ALONG = "_along"
"""The label with the operations that run whenever an operation does.

It does not wait for them: they are the parts of an update that other towers run.
"""


@dataclass(frozen=True)
class TowerSystem:
    """The cores that the towers of a strategy run on.

    `job` is None for this process.  `topology` and `assignment` have the core
    coordinates of each tower; they are None if there are as many towers as cores.
    """

    towers: int
    job: str | None = None
    topology: bytes | None = None
    assignment: tuple[tuple[tuple[int, ...], ...], ...] | None = None

    def replication(self) -> Replication:
        """Return the attributes of a computation with a replica for each tower."""
        return Replication(
            self.towers,
            assignment=self.assignment,
            topology=self.topology,
            job=self.job,
        )


@dataclass(frozen=True)
class TowerPlacement:
    """One tower of a system."""

    tower: int
    system: TowerSystem
