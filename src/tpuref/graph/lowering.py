"""Turning the part of a graph that is asked for into a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tpuref.graph.region import Region
from tpuref.graph.tensor import Operation, Tensor
from tpuref.program import HOST, Instr, Program

_FILLS_QUEUES = ("InfeedEnqueueTuple", "InfeedClose")


def lower(
    results: Sequence[Tensor], operations: Sequence[Operation], fed: Sequence[Tensor]
) -> Program:
    """Return the program that computes `results` and runs `operations`.

    Its parameters are the `fed` tensors, whose operations are left out.
    """
    needed = needed_operations(results, operations, set(fed))
    return _Lowering().program("session", fed, _in_order(needed), results)


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
    return found


def _in_order(operations: set[Operation]) -> list[Operation]:
    """Return the operations as they were built, what fills infeed queues first.

    A graph is built in an order in which every operation follows its inputs.  Feeding
    a queue is no input of the computation that takes from it, and has to come before.
    """
    filling = [op for op in operations if op.type in _FILLS_QUEUES]
    early = needed_operations((), filling, set()) & operations if filling else set()
    return sorted(operations, key=lambda op: (op not in early, op.index))


class _Lowering:
    def __init__(self) -> None:
        self._slots: dict[Tensor, int] = {}
        self._next = 0

    def program(
        self,
        name: str,
        parameters: Sequence[Tensor],
        operations: Sequence[Operation],
        results: Sequence[Tensor],
    ) -> Program:
        given = tuple(self._new_slot(tensor) for tensor in parameters)
        fed = set(parameters)
        instrs = tuple(self._instr(op) for op in operations if not _is_fed(op, fed))
        return Program(name, given, instrs, tuple(self._slots[t] for t in results))

    def _new_slot(self, tensor: Tensor) -> int:
        slot = self._slots[tensor] = self._next
        self._next += 1
        return slot

    def _instr(self, op: Operation) -> Instr:
        captured = _captured(op)
        inputs = tuple(self._slots[t] for t in [*op.inputs, *captured])
        return Instr(
            op=op.type,
            name=op.name,
            inputs=inputs,
            outputs=tuple(self._next_unless_fed(tensor) for tensor in op.outputs),
            attrs=op.attrs,
            specs=tuple(tensor.spec for tensor in op.outputs),
            core=_place(op),
            site=op.site,
            blocks=tuple(_block(block, captured) for block in op.blocks),
        )

    def _next_unless_fed(self, tensor: Tensor) -> int:
        if tensor in self._slots:  # fed: what the operation gives goes nowhere
            self._next += 1
            return self._next - 1
        return self._new_slot(tensor)


def _is_fed(operation: Operation, fed: set[Tensor]) -> bool:
    return bool(operation.outputs) and all(t in fed for t in operation.outputs)


def _captured(operation: Operation) -> list[Tensor]:
    found = [t for block in operation.blocks for t in block.captured_tensors()]
    return list(dict.fromkeys(found))


def _block(region: Region, captured: Sequence[Tensor]) -> Program:
    parameters = [*region.parameters, *captured]
    return _Lowering().program(
        region.name, parameters, region.operations, region.results
    )


def _place(operation: Operation) -> int:
    if "_xla_outside_compilation" in operation.labels:
        return HOST
    return operation.placement.logical_core or 0
