"""Turning the part of a graph that is asked for into a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tpuref.engine.graph.instructions import block_program
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_instructions import HostInstructions, StagedInstructions
from tpuref.engine.graph.tower_placement import ALONG, LABEL
from tpuref.engine.ops.definition import Place
from tpuref.engine.program import Program


def lower(
    results: Sequence[Tensor], operations: Sequence[Operation], fed: Sequence[Tensor]
) -> Program:
    """Return the program that computes `results` and runs `operations`.

    Its parameters are the `fed` tensors, whose operations are left out.
    """
    needed = _in_order(needed_operations(results, operations, set(fed)))
    in_towers = any(LABEL in operation.labels for operation in needed)
    instructions = StagedInstructions() if in_towers else HostInstructions()
    return instructions.program("session", fed, needed, results)


def lower_region(region: Region) -> Program:
    """Return the program of a region; what it captured follows its parameters."""
    return block_program(region, region.captured_tensors(), HostInstructions())


def needed_operations(
    results: Iterable[Tensor], operations: Iterable[Operation], fed: set[Tensor]
) -> set[Operation]:
    """Return the operations that the results depend on, as far as nothing is fed."""
    pending = [t.op for t in results if t not in fed] + list(operations)
    found: set[Operation] = set()
    while pending:
        operation = pending.pop()
        if operation in found:
            continue
        found.add(operation)
        pending += [t.op for t in operation.captured_inputs() if t not in fed]
        pending += operation.all_control_inputs()
        pending += operation.labels.get(ALONG, ())
    return found


def _in_order(operations: set[Operation]) -> list[Operation]:
    """Return the operations as they were built, but for those that use queues.

    A graph is built in an order in which every operation follows its inputs.  Feeding
    a queue is no input of the computation that takes from it, and has to come before;
    the host takes what a computation gives after it.
    """
    filling = [op for op in operations if op.definition.fills is not None]
    early = needed_operations((), filling, set()) & operations if filling else set()
    late = _after_draining(operations - early)
    return sorted(operations, key=lambda op: (op not in early, op in late, op.index))


def _after_draining(operations: set[Operation]) -> set[Operation]:
    """Return what takes from queues on the host, and what follows from that."""
    late = {op for op in operations if _drains_on_host(op)}
    if late:
        for op in sorted(operations, key=lambda op: op.index):
            if not late.isdisjoint(_awaited(op)):
                late.add(op)
    return late


def _drains_on_host(operation: Operation) -> bool:
    definition = operation.definition
    return definition.drains is not None and definition.place is Place.HOST


def _awaited(operation: Operation) -> list[Operation]:
    """Return the operations that have to come before one."""
    inputs = [tensor.op for tensor in operation.captured_inputs()]
    return [*inputs, *operation.all_control_inputs(), *operation.labels.get(ALONG, ())]
