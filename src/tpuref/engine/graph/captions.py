"""Captions of regions and their parts in drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuref.engine.graph.region import Region
    from tpuref.engine.graph.tensor import Operation

AssignedCores = Sequence[Sequence[int]]
"""For each replica of a computation, the core of each logical core."""


def part_of(operation: Operation) -> str:
    """Return the part of its region that an operation belongs to.

    ``"logical core 1"`` or ``"host part 0"`` within a replicated computation, ``"tower
    0"`` within a tower, ``""`` anywhere else.
    """
    if operation.host_label is not None:
        return f"host part {operation.host_label}"
    if operation.region is not None and _is_replicated(operation.region):
        return f"logical core {operation.logical_core or 0}"
    return "" if operation.tower is None else f"tower {operation.tower}"


def name_of(region: Region) -> str:
    """Return the caption of a region."""
    if _is_replicated(region):
        return f"{region.name}: {numbered('replica', region.replicas)}"
    return f"{region.name} ({region.kind})"


def _is_replicated(region: Region) -> bool:
    return region.replicated is region


def cores_of(assigned: AssignedCores, part: str) -> str:
    """Return the cores of a logical core in all replicas, such as ``"cores 0, 2"``.

    The text is empty without a device assignment. `part` is a result of `part_of`.
    """
    if not assigned or not part.startswith("logical core "):
        return ""
    number = int(part.removeprefix("logical core "))
    numbers = ", ".join(str(cores[number]) for cores in assigned)
    return f"core {numbers}" if len(assigned) == 1 else f"cores {numbers}"


def numbered(noun: str, count: int) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def named_replicas(replicas: Sequence[int], of: int) -> str:
    """Return the caption of some of `of` replicas."""
    if len(replicas) == of:
        return "replica 0" if of == 1 else f"replicas 0-{of - 1}"
    return f"replica {', '.join(map(str, replicas))}"
