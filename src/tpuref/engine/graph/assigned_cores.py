"""The cores that a device assignment gives to a replicated computation."""

from __future__ import annotations

from collections.abc import Iterable

from tpuref.engine.graph.tensor import Operation
from tpuref.engine.ops.tpu import REPLICATE, Assignment, Replication
from tpuref.engine.runtime.topology.topology import Topology


def assigned_cores(operations: Iterable[Operation]) -> dict[str, list[list[int]]]:
    """Return the cores of the computations that have a device assignment.

    Parameters
    ----------
    operations
        Operations, of which some may run a replicated computation.

    Returns
    -------
    dict
        By the name of the operation, the numbers of the cores of each replica, in the
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
