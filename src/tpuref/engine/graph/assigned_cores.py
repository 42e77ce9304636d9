"""The cores assigned to replicated computations."""

from collections.abc import Iterable

from tpuref.engine.graph.tensor import Operation
from tpuref.engine.ops.definition import Flow
from tpuref.engine.ops.tpu import Assignment, Replication
from tpuref.engine.runtime.topology.topology import Topology


def assigned_cores(operations: Iterable[Operation]) -> dict[str, list[list[int]]]:
    """Return the core numbers per computation with a device assignment.

    By name of the replicated computation: for each replica, in logical core order.
    """
    return {
        operation.name: _numbers(wanted.assignment, wanted.topology)
        for operation in operations
        if operation.definition.flow is Flow.REPLICATION
        and (wanted := Replication.of(operation.attrs)).assignment is not None
    }


def _numbers(assignment: Assignment, serialized: bytes | None) -> list[list[int]]:
    topology = Topology(serialized)
    return [[topology.core_at(place) for place in places] for places in assignment]
