"""Lowering: the needed part of a graph as a program."""

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
    """Return the program of a region; its captured tensors follow its parameters."""
    return block_program(region, region.captured_tensors(), HostInstructions())


def needed_operations(
    results: Iterable[Tensor], operations: Iterable[Operation], fed: set[Tensor]
) -> set[Operation]:
    """Return the operations that the results depend on, not going past fed tensors."""
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
    """Return the operations in graph order, except for users of queues."""
    # Graph order is a topological order of inputs and control inputs. Queues add
    # dependencies that the graph does not show: the host must fill a queue before the
    # computation that dequeues from it runs, or the run would wait for itself; and the
    # host drains an outfeed after the computation that fills it.
    filling = [op for op in operations if op.definition.effects.fills is not None]
    early = needed_operations((), filling, set()) & operations if filling else set()
    late = _after_draining(operations - early)
    return sorted(operations, key=lambda op: (op not in early, op in late, op.index))


def _after_draining(operations: set[Operation]) -> set[Operation]:
    """Return the operations that drain queues on the host, and their consumers."""
    late = {op for op in operations if _drains_on_host(op)}
    if late:
        for op in sorted(operations, key=lambda op: op.index):
            if not late.isdisjoint(_predecessors(op)):
                late.add(op)
    return late


def _drains_on_host(operation: Operation) -> bool:
    definition = operation.definition
    return definition.effects.drains is not None and definition.place is Place.HOST


def _predecessors(operation: Operation) -> list[Operation]:
    """Return the operations that have to run before one."""
    inputs = [tensor.op for tensor in operation.captured_inputs()]
    return [*inputs, *operation.all_control_inputs(), *operation.labels.get(ALONG, ())]
