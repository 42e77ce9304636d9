"""Where operations run, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.graph.region import REPLICATED, Region
from tpuref.graph.tensor import Operation
from tpuref.graph.tower_place import LABEL
from tpuref.runtime.topology import Topology


def part_of(operation: Operation) -> str:
    """Return the part of its region that an operation belongs to.

    Parameters
    ----------
    operation
        The operation.

    Returns
    -------
    str
        ``"logical core 1"`` or ``"host part 0"`` within a replicated computation,
        ``"tower 0"`` within a tower, ``""`` anywhere else.
    """
    label = operation.labels.get("_xla_outside_compilation")
    if label is not None:
        return f"host part {label}"
    if operation.region is not None and operation.region.kind == REPLICATED:
        return f"logical core {operation.placement.logical_core or 0}"
    tower = operation.labels.get(LABEL)
    return "" if tower is None else f"tower {tower.tower}"


def name_of(region: Region) -> str:
    """Return what a region is called in pictures and tables."""
    if region.kind == REPLICATED:
        return f"{region.name}: {numbered('replica', region.replicas)}"
    return f"{region.name} ({region.kind})"


def cores_of(replicate: Operation | None, part: str) -> str:
    """Return the cores that a logical core of all replicas is, if that is fixed.

    Parameters
    ----------
    replicate
        The operation that runs the computation, None while it is being built.
    part
        The part of the computation, as `part_of` has it.

    Returns
    -------
    str
        Such as ``"cores 0, 2, 4, 6"``; nothing without a device assignment.
    """
    if replicate is None or replicate.attrs.get("assignment") is None:
        return ""
    if not part.startswith("logical core "):
        return ""
    topology = Topology(replicate.attrs["topology"])
    number = int(part.removeprefix("logical core "))
    places = [cores[number] for cores in replicate.attrs["assignment"]]
    numbers = ", ".join(str(topology.core_at(place)) for place in places)
    return f"core {numbers}" if len(places) == 1 else f"cores {numbers}"


def numbered(noun: str, count: int) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def named_replicas(replicas: Sequence[int], of: int) -> str:
    """Return which replicas are meant, of how many."""
    if len(replicas) == of:
        return "replica 0" if of == 1 else f"replicas 0-{of - 1}"
    return f"replica {', '.join(map(str, replicas))}"
