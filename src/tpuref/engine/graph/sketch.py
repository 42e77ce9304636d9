"""Sketches of graphs in Graphviz's language DOT."""

import contextlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from tpuref.engine.drawings.dot import Dot
from tpuref.engine.drawings.svg import colour_of
from tpuref.engine.graph.captions import (
    AssignedCores,
    cores_of,
    name_of,
    named_replicas,
    part_of,
)
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import Flow
from tpuref.engine.ops.tpu import Replication

_LINE = "#57606a"


@dataclass
class _Arrow:
    """An arrow between two nodes: the replicas that it is for, and their number."""

    of: int
    replicas: set[int] = field(default_factory=set)

    def attributes(self) -> dict[str, str]:
        if not self.replicas:
            return {}
        return {"label": named_replicas(sorted(self.replicas), self.of)}


def sketch(
    title: str, operations: Sequence[Operation], assigned: Mapping[str, AssignedCores]
) -> str:
    """Return the drawing of some operations in DOT."""
    return _Sketch(title, operations, assigned).text()


class _Sketch:
    """The state of a sketch in progress.

    The operation that runs a replicated computation is not a node: arrows of its inputs
    end at the parameters of the computation, and those of its outputs start at the
    results.  An identity on the output of one replica is skipped; if nothing in the
    drawing reads it, one node stands for this output of all replicas.
    """

    def __init__(
        self,
        title: str,
        operations: Sequence[Operation],
        assigned: Mapping[str, AssignedCores],
    ) -> None:
        self._dot = Dot(title)
        self._assigned = assigned
        self._operations = dict.fromkeys(operations)
        self._runs = {block: op for op in operations for block in op.blocks}
        self._read = {tensor for op in operations for tensor in op.inputs}
        self._frames: dict[Region, str] = {}
        self._outputs: set[str] = set()
        self._arrows: dict[tuple[str, str], _Arrow] = {}

    def text(self) -> str:
        self._part_by_part(None)
        for operation in self._operations:
            self._connect(operation)
        for (start, end), arrow in self._arrows.items():
            self._dot.edge(start, end, **arrow.attributes())
        for operation in self._operations:
            for before in operation.control_inputs:
                if before in self._operations:
                    self._wait(before, operation)
        return self._dot.text()

    # -- nodes and frames ------------------------------------------------------

    def _part_by_part(self, region: Region | None) -> None:
        """Write the operations of a region, with a frame for each part."""
        parts: dict[str, list[Operation]] = {}
        for operation in self._operations:
            if operation.region is region:
                parts.setdefault(part_of(operation), []).append(operation)
        for part, members in parts.items():
            with self._part_frame(part, region):
                for operation in members:
                    self._node(operation)
        for inner in self._open_regions(region):
            self._region(inner)
        if region is not None and not parts:
            self._dot.node(f"{region.name} ", [""], style="invis", shape="point")

    def _part_frame(
        self, part: str, region: Region | None
    ) -> AbstractContextManager[object]:
        if not part:
            return contextlib.nullcontext()
        if part.startswith("host part"):
            return self._dot.cluster(
                f"{part} (on the host)", style="dashed,filled", fillcolor="#eeeeee"
            )
        cores = "" if region is None else cores_of(self._cores(region), part)
        number = int(part.split()[-1])
        label = f"{part}: {cores}" if cores else part
        colour = colour_of(number).fill
        return self._dot.cluster(label, style="rounded", color=colour, penwidth="2")

    def _cores(self, region: Region) -> AssignedCores:
        """Return the cores of a computation, none while it is being built."""
        run = self._runs.get(region)
        return () if run is None else self._assigned.get(run.name, ())

    def _open_regions(self, region: Region | None) -> list[Region]:
        """Return the inner regions in progress, which no operation runs yet."""
        inner_regions: dict[Region, None] = {}
        for operation in self._operations:
            inner = operation.region
            if inner is not None and inner not in self._runs and inner.outer is region:
                inner_regions[inner] = None
        return list(inner_regions)

    def _region(self, region: Region) -> None:
        name = name_of(region)
        with self._dot.cluster(
            name, style="rounded", color=_LINE, penwidth="1"
        ) as frame:
            self._frames[region] = frame
            self._part_by_part(region)

    def _node(self, operation: Operation) -> None:
        for block in operation.blocks:
            self._region(block)
        if operation.definition.flow is Flow.REPLICATION:
            return
        if _is_replica_output(operation):
            self._output(operation)
            return
        self._dot.node(operation.name, _label(operation), **_style(operation))

    def _output(self, operation: Operation) -> None:
        """Write the output of all replicas, unless it is read within the drawing."""
        name = _output_id(operation)
        if operation.outputs[0] in self._read or name in self._outputs:
            return
        self._outputs.add(name)
        lines = [_output_name(operation), operation.outputs[0].spec.describe()]
        self._dot.node(name, lines, shape="ellipse")

    # -- edges -----------------------------------------------------------------

    def _connect(self, operation: Operation) -> None:
        """Draw the arrows to an operation from the tensors that it reads."""
        if operation.definition.flow is Flow.REPLICATION:
            wanted = Replication.of(operation.attrs)
            for place, tensor in enumerate(operation.inputs):
                replica, position = divmod(place, wanted.inputs_per_replica)
                end = operation.blocks[0].parameters[position].op.name
                self._arrow(tensor, end, replica, wanted.replicas)
            return
        if _is_replica_output(operation):
            if operation.outputs[0] not in self._read:
                self._arrow(operation.inputs[0], _output_id(operation))
            return
        results = [tensor for block in operation.blocks for tensor in block.results]
        for tensor in [*operation.inputs, *results]:
            self._arrow(tensor, operation.name)

    def _arrow(
        self, tensor: Tensor, end: str, replica: int | None = None, of: int = 0
    ) -> None:
        while _is_replica_output(tensor.op):
            tensor = tensor.op.inputs[0]
        if tensor.op.definition.flow is Flow.REPLICATION:
            of = Replication.of(tensor.op.attrs).replicas
            results = tensor.op.blocks[0].results
            replica, position = divmod(tensor.value_index, len(results))
            tensor = results[position]
        arrow = self._arrows.setdefault((tensor.op.name, end), _Arrow(of))
        if replica is not None:
            arrow.replicas.add(replica)

    def _wait(self, before: Operation, after: Operation) -> None:
        """Draw the arrow of a control input, to or from a frame for a computation."""
        if _is_replica_output(before) or _is_replica_output(after):
            return
        attributes = {"style": "dashed"}
        start, end = before.name, after.name
        if before.definition.flow is Flow.REPLICATION:
            start = self._inside(before.blocks[0], last=True)
            attributes["ltail"] = self._frames[before.blocks[0]]
        if after.definition.flow is Flow.REPLICATION:
            end = self._inside(after.blocks[0], last=False)
            attributes["lhead"] = self._frames[after.blocks[0]]
        self._dot.edge(start, end, **attributes)

    def _inside(self, region: Region, last: bool) -> str:
        """Return a node of a region for an arrow that ends at its frame."""
        nodes = [op for op in region.operations if op.region is region]
        return nodes[-1 if last else 0].name if nodes else f"{region.name} "


def _is_replica_output(operation: Operation) -> bool:
    """Return whether an operation is an identity on one output of one replica."""
    return (
        operation.definition.traits.forwards
        and operation.inputs[0].op.definition.flow is Flow.REPLICATION
    )


def _output_name(operation: Operation) -> str:
    tensor = operation.inputs[0]
    return f"output {tensor.value_index % len(tensor.op.blocks[0].results)}"


def _output_id(operation: Operation) -> str:
    region = operation.inputs[0].op.blocks[0]
    return f"{region.name} {_output_name(operation)}"  # no operation has a blank


def _label(operation: Operation) -> list[str]:
    lines = [operation.type]
    name = operation.name.rpartition("/")[2]
    variable = _variable(operation)
    if variable is not None:
        lines.append(variable)
    elif name.rstrip("_0123456789") != operation.type:
        lines.append(name)
    if _is_collective(operation):
        lines.append(_members(operation.attrs.get("groups")))
    if operation.definition.traits.constant and operation.outputs[0].shape.ndims == 0:
        lines.append(f"= {operation.attrs['value']}")
    return [*lines, *_outputs(operation)]


def _outputs(operation: Operation) -> list[str]:
    specs = [tensor.spec.describe() for tensor in operation.outputs]
    counts = {spec: specs.count(spec) for spec in specs}
    return [s if count == 1 else f"{count} x {s}" for s, count in counts.items()]


def _members(groups: Any) -> str:
    if groups is None or len(groups) == 1:
        return "over all replicas"
    return f"over groups {', '.join(map(str, map(list, groups)))}"


def _is_collective(operation: Operation) -> bool:
    definition = operation.definition
    return definition.collective is not None or definition.traits.joint


def _variable(operation: Operation) -> str | None:
    """Return the name of the variable that an operation reads or writes."""
    named = operation.definition.reads or operation.definition.writes
    return None if named is None else operation.attrs[named]


def _style(operation: Operation) -> dict[str, str]:
    if _is_collective(operation):
        return {"fillcolor": colour_of(0).fill, "peripheries": "2"}
    if (
        operation.definition.traits.fed
        or operation.definition.effects.drains is not None
    ):
        return {"fillcolor": "#d3ebfa", "shape": "ellipse", "style": "filled"}
    if _variable(operation) is not None:
        return {"fillcolor": "#fbf6bd"}
    if operation.definition.traits.constant:
        return {"fillcolor": "#eeeeee"}
    return {}
