"""Instructions: lowering of operations one by one."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import ALONG
from tpuref.engine.program import HOST, Instr, Program


class Instructions:
    """Lowers operations to instructions, with a slot for each tensor."""

    def __init__(self) -> None:
        self.instrs: list[Instr] = []
        self.slots: dict[Tensor, int] = {}
        self._next = 0

    def program(
        self,
        name: str,
        parameters: Sequence[Tensor],
        operations: Sequence[Operation],
        results: Sequence[Tensor],
    ) -> Program:
        """Return the program of some operations, which follow their inputs."""
        given = tuple(self.new_slot(tensor) for tensor in parameters)
        fed = set(parameters)
        self.add_all([op for op in operations if not _is_fed(op, fed)], results)
        found = tuple(self.slots[t] for t in results)
        return Program(name, given, tuple(self.instrs), found)

    def add_all(
        self, operations: Sequence[Operation], results: Sequence[Tensor]
    ) -> None:
        """Lower some operations, of which `results` are needed."""
        for operation in operations:
            self.add(operation)

    def add(self, op: Operation) -> None:
        """Lower one operation."""
        self.instrs.append(self.instr(op))

    def unnamed_slot(self) -> int:
        """Return a new slot."""
        self._next += 1
        return self._next - 1

    def new_slot(self, tensor: Tensor) -> int:
        """Give a tensor a slot."""
        slot = self.slots[tensor] = self.unnamed_slot()
        return slot

    def instr(self, op: Operation) -> Instr:
        """Return the instruction of an operation."""
        captured = captured_by(op)
        inputs = tuple(self.slots[t] for t in [*op.inputs, *captured])
        return Instr(
            op=op.type,
            name=op.name,
            inputs=inputs,
            outputs=tuple(self._next_unless_fed(tensor) for tensor in op.outputs),
            attrs=op.attrs,
            specs=tuple(tensor.spec for tensor in op.outputs),
            core=_place(op),
            site=op.site,
            blocks=tuple(self.block(op, block, captured) for block in op.blocks),
        )

    def block(
        self, op: Operation, region: Region, captured: Sequence[Tensor]
    ) -> Program:
        """Return the program of a region inside an operation."""
        return block_program(region, captured, type(self)())

    def _next_unless_fed(self, tensor: Tensor) -> int:
        if tensor in self.slots:  # fed: nothing reads the operation's own output
            return self.unnamed_slot()
        return self.new_slot(tensor)


def _is_fed(operation: Operation, fed: set[Tensor]) -> bool:
    return bool(operation.outputs) and all(t in fed for t in operation.outputs)


def captured_by(operation: Operation) -> list[Tensor]:
    """Return the tensors that the regions inside an operation capture."""
    found = [t for block in operation.blocks for t in block.captured_tensors()]
    return list(dict.fromkeys(found))


def block_program(
    region: Region, captured: Sequence[Tensor], instructions: Instructions
) -> Program:
    """Return the program of a region; its captured tensors follow its parameters.

    Operations that neither act nor lead to a result are left out, as in TensorFlow: a
    read of a variable without a value is no error unless its value is used.
    """
    parameters = [*region.parameters, *captured]
    needed = {tensor.op for tensor in region.results}
    kept: list[Operation] = []
    for operation in reversed(region.operations):
        if operation in needed or _acts(operation):
            kept.append(operation)
            needed.update(tensor.op for tensor in operation.captured_inputs())
            needed.update(operation.all_control_inputs())
            needed.update(operation.labels.get(ALONG, ()))
    return instructions.program(region.name, parameters, kept[::-1], region.results)


def _acts(operation: Operation) -> bool:
    """Whether an operation does something beyond returning its outputs."""
    inside = (inner for block in operation.blocks for inner in block.operations)
    return operation.definition.acts or any(map(_acts, inside))


def _place(operation: Operation) -> int:
    if "_xla_outside_compilation" in operation.labels:
        return HOST
    return operation.placement.logical_core or 0
