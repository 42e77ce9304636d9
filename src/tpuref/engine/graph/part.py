"""A part of a graph, of which copies with other inputs join a graph."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.recorder import record, record_read
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import LABEL
from tpuref.engine.ops.meaning import Array

_HOST, _REPLICATED = "_xla_outside_compilation", "_tpu_replicate"

Made = dict[Tensor | Operation, Any]


class _Step(NamedTuple):
    """An operation with what later operations may change of it."""

    operation: Operation
    outputs: list[tuple[TensorSpec, Array | None]]
    labels: dict[str, Any]
    results: list[list[Tensor]]


class Part:
    """The operations that a graph got since it had `begin` of them.

    Copies have other tensors in the place of `inputs`.
    """

    def __init__(self, graph: Graph, begin: int, inputs: Sequence[Tensor]) -> None:
        self._graph, self._inputs = graph, inputs
        self._scopes = graph.scopes_in_force()
        self._steps = [_step(op) for op in graph.get_operations()[begin:]]
        handles = [op.attrs.get("handle") for op, *_ in self._steps]
        self._reads = [graph.read[h] for h in dict.fromkeys(handles) if h in graph.read]
        own = {op for op, *_ in self._steps}
        used = {t for step in self._steps for t in _tensors(step)}
        awaited = {op for step in self._steps for op in step.operation.control_inputs}
        self._outer = {t.op for t in used - set(inputs)} - own
        self._outer |= awaited - own - set(self._scopes["control"])

    @property
    def repeatable(self) -> bool:
        """Whether copies mean the same.

        The gradient function of an operation, the towers and the calls of the host
        belong to the operations that they were made for.
        """
        return all(map(self._is_repeatable, self._steps))

    def _is_repeatable(self, step: _Step) -> bool:
        labels, region, here = step.labels, step.operation.region, self.region
        return (
            (region is here or (region is not None and region.is_within(here)))
            and step.operation.type != "Placeholder"
            and labels.get(LABEL) == self._scopes["tower"]
            and labels.get(_HOST) == self._scopes["host_label"]
            and not any(isinstance(value, (tuple, Callable)) for value in labels.values())
        )

    @property
    def region(self) -> Region | None:
        """The region that got the operations."""
        region: Region | None = self._scopes["region"]
        return region

    @property
    def portable(self) -> bool:
        """Whether copies can join other graphs."""
        return not self._outer and not any(map(_belongs_to_graph, self._steps))

    def fits(self, graph: Graph) -> bool:
        """Whether a copy can join a graph in the scopes in force."""
        here = graph.region
        return all(
            op.graph is graph
            and (op.region is None or (here is not None and here.is_within(op.region)))
            for op in self._outer
        )

    def copy(self, graph: Graph, inputs: Sequence[Tensor]) -> Made:
        """Add a copy to a graph; return the copies of tensors and operations."""
        made: Made = dict(zip(self._inputs, inputs, strict=True))
        copying = _Copying(graph, self._scopes, made)
        for variable in self._reads:
            record_read(variable)
        with graph.in_scopes({"name": ""}):
            for step in self._steps:
                copying.add(step)
        copying.close(self._steps)
        for step in self._steps:
            record(made[step.operation])
        return made


def _step(op: Operation) -> _Step:
    outputs = [(tensor.spec, tensor.operand().value) for tensor in op.outputs]
    return _Step(op, outputs, dict(op.labels), [list(b.results) for b in op.blocks])


def _tensors(step: _Step) -> list[Tensor]:
    """Return the tensors that an operation uses, at the edges of its regions too."""
    edges = [t for results in step.results for t in results]
    first = [t for block in step.operation.blocks for t in block.first.values()]
    return [*step.operation.inputs, *edges, *first]


def _belongs_to_graph(step: _Step) -> bool:
    """Whether an operation refers to a queue or a Python function of its graph."""
    effects = step.operation.definition.effects
    return bool(effects.client or effects.fills or effects.drains)


class _Copying:
    """A copy that is being added to a graph."""

    def __init__(self, graph: Graph, before: dict[str, Any], made: Made) -> None:
        self.made = made
        self._graph, self._before, self._now = graph, before, graph.scopes_in_force()
        self._regions = {before["region"]: self._now["region"]}

    def add(self, step: _Step) -> None:
        """Add the copy of an operation."""
        op = step.operation
        region = self._region(op.region)
        copy = Operation(
            self._graph,
            op.type,
            self._unique_name(op.name),
            inputs=[self.made.get(tensor, tensor) for tensor in op.inputs],
            specs=[spec for spec, _ in step.outputs],
            attrs=op.attrs,
            control_inputs=self._control(op),
            device=op.placement,
            region=region,
            blocks=[self._region(block) for block in op.blocks],
            site=op.site,
            index=self._graph.version,
        )
        copy.labels = {key: self.made.get(v, v) for key, v in step.labels.items()}
        if _REPLICATED in copy.labels:
            copy.labels[_REPLICATED] = region.replicated.name
        self.made[op] = copy
        for old, new, (_, constant) in zip(op.outputs, copy.outputs, step.outputs):
            self.made[old] = new
            new.know_constant(constant)
        self._graph.add(copy)

    def close(self, steps: Sequence[_Step]) -> None:
        """Complete the copies of the regions."""
        for step in steps:
            for block, results in zip(step.operation.blocks, step.results):
                copy = self._regions[block]
                copy.parameters = [self.made[t] for t in block.parameters]
                copy.results = [self.made.get(t, t) for t in results]
                first = block.first.items()
                copy.first = {self.made[t]: self.made.get(u, u) for t, u in first}

    def _control(self, op: Operation) -> list[Operation]:
        before = dict.fromkeys(self._before["control"])
        own = [self.made.get(op, op) for op in op.control_inputs if op not in before]
        here = op.region is self._before["region"]
        return list(dict.fromkeys([*own, *(self._now["control"] if here else ())]))

    def _region(self, region: Region | None) -> Region | None:
        if region not in self._regions:
            self._regions[region] = replace(
                region,
                name=self._unique_name(region.name),
                outer=self._region(region.outer),
                stand_in=None,
                operations=[],
            )
        return self._regions[region]

    def _unique_name(self, name: str) -> str:
        scope = self._before["name"]
        if name.startswith(scope):
            name = self._now["name"] + name[len(scope) :]
        return self._graph.unique_name(name)
