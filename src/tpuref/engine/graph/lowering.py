"""Lowering: the needed part of a graph as a program."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.stages import Stage, joint_sum, stages
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import ALONG, LABEL
from tpuref.engine.graph.towers import joined
from tpuref.engine.ops.collectives import CROSS_REPLICA_SUM, TOWER_OWN
from tpuref.engine.ops.control import TOWER_COPY
from tpuref.engine.ops.definition import OpDef, Place
from tpuref.engine.ops.sources import CONST, IDENTITY
from tpuref.engine.ops.tpu import REPLICATE, Replication
from tpuref.engine.program import HOST, Instr, Program

_NOTHING = np.zeros((), np.bool_)
_NOTHING_SPEC = TensorSpec(TensorShape(None), bool_)
"""The spec of the filler that a replica returns if it has fewer results."""


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
    needed: set[Operation] = set()
    while pending:
        operation = pending.pop()
        if operation in needed:
            continue
        needed.add(operation)
        pending += [t.op for t in operation.captured_inputs() if t not in fed]
        pending += operation.all_control_inputs()
        pending += operation.labels.get(ALONG, ())
    return needed


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
        parameter_slots = tuple(self.new_slot(tensor) for tensor in parameters)
        fed = set(parameters)
        self.add_all([op for op in operations if not _is_fed(op, fed)], results)
        slots = tuple(self.slots[t] for t in results)
        return Program(name, parameter_slots, tuple(self.instrs), slots)

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
        return Instr(
            op=op.type,
            name=op.name,
            inputs=tuple(self.slots[t] for t in [*op.inputs, *captured]),
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
    captured = [t for block in operation.blocks for t in block.captured_tensors()]
    return list(dict.fromkeys(captured))


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
            needed.update(_predecessors(operation))
    return instructions.program(region.name, parameters, kept[::-1], region.results)


def _acts(operation: Operation) -> bool:
    """Whether an operation does something beyond returning its outputs."""
    inside = (inner for block in operation.blocks for inner in block.operations)
    return operation.definition.acts or any(map(_acts, inside))


def _place(operation: Operation) -> int:
    if "_xla_outside_compilation" in operation.labels:
        return HOST
    return operation.placement.logical_core or 0


class ReplicaInstructions(Instructions):
    """Lowers all towers to one program; each replica runs one tower.

    Operations outside of towers run on all replicas.  A value that one tower holds and
    others need is copied to them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._holders: dict[Tensor, set[int]] = {}
        self._towers = 0

    def add_all(
        self, operations: Sequence[Operation], results: Sequence[Tensor]
    ) -> None:
        """Lower some operations; all replicas get the results."""
        super().add_all(operations, results)
        for tensor in results:
            self._copy_to(tensor, None)

    def add(self, op: Operation) -> None:
        """Lower one operation."""
        if joint_sum(op) is not None:
            self._add_sum(op)
        elif op.definition is TOWER_COPY:
            self._add_copy(op)
        elif op.definition is TOWER_OWN:
            self._add_own(op, self.new_slot(op.outputs[0]))
        else:
            self._add_one(op)

    def block(
        self, op: Operation, region: Region, captured: Sequence[Tensor]
    ) -> Program:
        """Return the program of a region inside an operation."""
        tower = op.tower
        if tower is None:
            return super().block(op, region, captured)
        return block_program(region, captured, OneTowerInstructions(tower))

    def _add_one(self, op: Operation) -> None:
        tower = op.tower
        for tensor in [*op.inputs, *captured_by(op)]:
            self._copy_to(tensor, tower)
        self.instrs.append(replace(self.instr(op), replica=tower))
        if tower is not None:
            self._towers = op.labels[LABEL].system.replicas
            self._holders.update({tensor: {tower} for tensor in op.outputs})

    def _copy_to(self, tensor: Tensor, tower: int | None) -> None:
        """Copy a tensor to one tower, or to all, unless it is there already."""
        holders = self._holders.get(tensor)
        if holders is None:
            return
        targets = set(range(self._towers) if tower is None else [tower]) - holders
        if targets:
            slots = (self.slots[tensor],)
            attrs = {"source": min(holders), "targets": tuple(sorted(targets))}
            self._make(TOWER_COPY, tensor.op, slots, slots, attrs, tensor.spec)
            holders |= targets

    def _add_copy(self, op: Operation) -> None:
        # The copy overwrites a slot on the targets, so it gets one of its own.
        source, (copy,) = (self.slots[op.inputs[0]],), op.outputs
        slot = (self.new_slot(copy),)
        self._make(IDENTITY, op, source, slot, {}, copy.spec)
        self._make(TOWER_COPY, op, slot, slot, op.attrs, copy.spec)

    def _add_sum(self, op: Operation) -> None:
        # The inputs are in different slots, one per tower. Each replica first puts its
        # own into a common slot, which makes the sum a cross-replica sum.
        contribution, total = self.unnamed_slot(), self.new_slot(op.outputs[0])
        self._add_own(op, contribution)
        attrs = {"groups": (tuple(range(len(op.inputs))),)}
        spec = op.outputs[0].spec
        self._make(CROSS_REPLICA_SUM, op, (contribution,), (total,), attrs, spec)

    def _add_own(self, op: Operation, slot: int) -> None:
        """Let each replica put its own tower's value into one slot."""
        for tower, tensor in enumerate(op.inputs):
            self._copy_to(tensor, tower)
            self.alias(tensor, tower, op.outputs[0].spec, slot)

    def alias(self, tensor: Tensor, tower: int, spec: TensorSpec, slot: int) -> None:
        """Let a replica put a value into a further slot."""
        self._make(IDENTITY, tensor.op, (self.slots[tensor],), (slot,), {}, spec, tower)

    def _make(
        self,
        definition: OpDef,
        op: Operation,
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        attrs: Mapping[str, Any],
        spec: TensorSpec,
        replica: int | None = None,
    ) -> None:
        """Add an instruction that is not one operation of the graph."""
        self.instrs.append(
            Instr(
                op=definition.name,
                name=op.name,
                inputs=inputs,
                outputs=outputs,
                attrs=attrs,
                specs=(spec,),
                core=0,
                site=op.site,
                replica=replica,
            )
        )

    def holder(self, tensor: Tensor) -> int:
        """Return the first replica that holds a tensor."""
        return min(self._holders.get(tensor, {0}))

    def fill(self, tower: int, op: Operation, slot: int) -> None:
        """Let a replica put a filler into a slot."""
        self._make(CONST, op, (), (slot,), {"value": _NOTHING}, _NOTHING_SPEC, tower)


class OneTowerInstructions(Instructions):
    """Lowers a branch or loop body that belongs to one tower."""

    def __init__(self, tower: int) -> None:
        super().__init__()
        self._tower = tower

    def instr(self, op: Operation) -> Instr:
        """Return the instruction of an operation."""
        return replace(super().instr(op), replica=self._tower)

    def block(
        self, op: Operation, region: Region, captured: Sequence[Tensor]
    ) -> Program:
        """Return the program of a region inside an operation."""
        return block_program(region, captured, OneTowerInstructions(self._tower))


class HostInstructions(Instructions):
    """Lowers operations of the host; its computations run on the replicas."""

    def block(
        self, op: Operation, region: Region, captured: Sequence[Tensor]
    ) -> Program:
        """Return the program of a region inside an operation."""
        if op.definition is REPLICATE:
            program = block_program(region, captured, ReplicaInstructions())
            program = replace(program, components=tuple(region.components))
            tensors = [*region.parameters, *captured]
            specs = [tensor.spec for tensor in tensors]
            return joined(program, op.attrs["replicas"], specs)[0]
        return super().block(op, region, captured)


class StagedInstructions(HostInstructions):
    """Lowers stages: the host's instructions, and the cores' between them."""

    def add_all(
        self, operations: Sequence[Operation], results: Sequence[Tensor]
    ) -> None:
        """Lower some operations, of which `results` are needed."""
        parts = stages(operations)
        for k, (system, part) in enumerate(parts):
            if system is None:
                super().add_all(part, results)
            else:
                self._add_stage(system, part, _leaving(part, parts[k + 1 :], results))

    def block(
        self, op: Operation, region: Region, captured: Sequence[Tensor]
    ) -> Program:
        """Return the program of a region inside an operation.

        Towers in a loop of the host run on the cores in each iteration.
        """
        if op.tower is None and op.definition is not REPLICATE:
            return block_program(region, captured, StagedInstructions())
        return HostInstructions().block(op, region, captured)

    def _add_stage(
        self, system: Replication, part: Sequence[Operation], leaving: Sequence[Tensor]
    ) -> None:
        stage = _Stage(system, part, leaving)
        count = len(stage.program.results)
        outputs = tuple(self.unnamed_slot() for _ in range(system.replicas * count))
        inputs = tuple(self.slots[tensor] for tensor in stage.inputs)
        for tensor, (tower, number) in stage.places.items():
            self.slots[tensor] = outputs[tower * count + number]
        self.instrs.append(
            Instr(
                op=REPLICATE.name,
                name="towers",
                inputs=inputs,
                outputs=outputs,
                attrs=replace(system, inputs_per_replica=stage.divided).attrs(),
                specs=stage.specs * system.replicas,
                core=0,
                site=part[0].site,
                blocks=(stage.program,),
            )
        )


def _leaving(
    part: Sequence[Operation], later: Sequence[Stage], results: Sequence[Tensor]
) -> list[Tensor]:
    """Return the tensors that later stages or the caller use."""
    made = {tensor for operation in part for tensor in operation.outputs}
    used = [t for _, ops in later for op in ops for t in op.captured_inputs()]
    return [t for t in dict.fromkeys([*used, *results]) if t in made]


class _Stage:
    """The program of one stage.

    `inputs` come from earlier stages: `divided` of them for each replica, the others
    for all.  `places` has the replica and row of each result, and `specs`
    the specs of the rows.
    """

    def __init__(
        self, system: Replication, part: Sequence[Operation], leaving: Sequence[Tensor]
    ) -> None:
        made = {tensor for operation in part for tensor in operation.outputs}
        used = dict.fromkeys(t for op in part for t in op.captured_inputs())
        captured = [tensor for tensor in used if tensor not in made]
        instructions = ReplicaInstructions()
        captured_slots = tuple(instructions.new_slot(tensor) for tensor in captured)
        instructions.add_all(part, ())
        # All replicas return the same number of results. Row n holds the n-th result
        # of each replica; a replica with fewer results fills the rest, unread.
        self.places = _number(instructions, leaving)
        rows = _rows(self.places, system.replicas)
        self.specs = tuple(_common_spec(row) for row in rows)
        slots = tuple(instructions.unnamed_slot() for _ in rows)
        for row, spec, slot in zip(rows, self.specs, slots, strict=True):
            for tower, tensor in enumerate(row):
                if tensor is None:
                    instructions.fill(tower, part[0], slot)
                else:
                    own = TensorSpec(spec.shape, tensor.dtype)
                    instructions.alias(tensor, tower, own, slot)
        program = Program("towers", captured_slots, tuple(instructions.instrs), slots)
        specs = [tensor.spec for tensor in captured]
        whole, columns = joined(program, system.replicas, specs, divides=True)
        read = {slot for instr in whole.instrs for slot in instr.inputs}
        kept = [slot for slot in captured_slots if slot in read]
        self.divided = len(columns)
        by_slot = dict(zip(captured_slots, captured, strict=True))
        apart = [column[k] for k in range(system.replicas) for column in columns]
        self.inputs = [by_slot[slot] for slot in (*apart, *kept)]
        parameters = (*whole.parameters[: len(columns)], *kept)
        self.program = replace(whole, parameters=parameters)


def _number(
    instructions: ReplicaInstructions, leaving: Sequence[Tensor]
) -> dict[Tensor, tuple[int, int]]:
    """Return for each result the replica that holds it, and its row."""
    counts: Counter[int] = Counter()
    places = {}
    for tensor in leaving:
        holder = instructions.holder(tensor)
        places[tensor] = holder, counts[holder]
        counts[holder] += 1
    return places


def _rows(
    places: Mapping[Tensor, tuple[int, int]], towers: int
) -> list[list[Tensor | None]]:
    """Return for each row the tensor of each replica."""
    count = max((number for _, number in places.values()), default=-1) + 1
    rows: list[list[Tensor | None]] = [[None] * towers for _ in range(count)]
    for tensor, (tower, number) in places.items():
        rows[number][tower] = tensor
    return rows


def _common_spec(row: Sequence[Tensor | None]) -> TensorSpec:
    """Return the spec of a row: open, unless all replicas agree."""
    specs = {None if tensor is None else tensor.spec.describe() for tensor in row}
    first = next(tensor for tensor in row if tensor is not None)
    if len(specs) == 1:
        return first.spec
    return TensorSpec(TensorShape(None), first.dtype)
