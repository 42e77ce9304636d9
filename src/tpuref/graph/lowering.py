"""Turning the part of a graph that is asked for into a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tpuref.graph.instructions import block_program
from tpuref.graph.region import Region
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.tower_instructions import HostInstructions, StagedInstructions
from tpuref.graph.tower_placement import ALONG, LABEL
from tpuref.program import Program


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
    """Return the operations as they were built, what fills infeed queues first.

    A graph is built in an order in which every operation follows its inputs.  Feeding
    a queue is no input of the computation that takes from it, and has to come before.
    """
    filling = [op for op in operations if op.definition.fills is not None]
    early = needed_operations((), filling, set()) & operations if filling else set()
    return sorted(operations, key=lambda op: (op not in early, op.index))
