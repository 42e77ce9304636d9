"""The cores that a device assignment gives to a replicated computation."""

from __future__ import annotations

from collections.abc import Iterable

from tpuref.graph.tensor import Operation
from tpuref.ops.tpu import REPLICATE, Assignment, Replication
from tpuref.runtime.topology import Topology


def assigned_cores(operations: Iterable[Operation]) -> dict[str, list[list[int]]]:
    """Return the cores of the computations that have a device assignment.

    Returns
    -------
    dict
        By name of the replicated computation, the core numbers of each replica in the
        order of its logical cores.
    """
    return {
        operation.name: _numbers(wanted.assignment, wanted.topology)
        for operation in operations
        if operation.definition is REPLICATE
        and (wanted := Replication.of(operation.attrs)).assignment is not None
    }


def _numbers(assignment: Assignment, serialized: bytes | None) -> list[list[int]]:
    topology = Topology(serialized)
    return [[topology.core_at(place) for place in places] for places in assignment]
