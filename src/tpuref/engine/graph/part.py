"""A part of a graph, of which copies with other inputs join a graph."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.recorder import record, record_read
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import LABEL

_HOST, _REPLICATED = "_xla_outside_compilation", "_tpu_replicate"

Made = dict[Tensor | Operation, Any]


class _Inside(NamedTuple):
    """What a later gradient changes of a branch or loop, which then returns more."""

    outputs: int
    labels: dict[str, Any]
    results: list[list[Tensor]]


class Part:
    """The operations that a graph got since it had `begin` of them.

    `results` are those of its tensors that others know.  Copies have other tensors in
    the place of `inputs`.
    """

    def __init__(
        self,
        graph: Graph,
        begin: int,
        inputs: Sequence[Tensor],
        results: Iterable[Tensor],
    ) -> None:
        self._graph, self._inputs = graph, inputs
        self._scopes = graph.scopes_in_force()
        self._operations = graph.get_operations()[begin:]
        self._specs = {tensor: tensor.spec for tensor in results}
        self._inside = {op: _inside(op) for op in self._operations if op.blocks}
        used: set[Tensor] = set(self._specs).difference(inputs)
        awaited: set[Operation] = set()
        for op in self._operations:
            used.update(op.inputs)
            awaited.update(op.control_inputs)
        for op, inside in self._inside.items():
            used.update(*inside.results, *(block.first.values() for block in op.blocks))
        awaited.difference_update(self._scopes["control"])
        awaited.update(tensor.op for tensor in used.difference(inputs))
        self._outer = awaited.difference(self._operations)

    @property
    def repeatable(self) -> bool:
        """Whether copies mean the same.

        The gradient function of an operation, the towers and the calls of the host
        belong to the operations that they were made for.
        """
        return all(map(self._is_repeatable, self._operations))

    def _is_repeatable(self, op: Operation) -> bool:
        labels, region, here = op.labels, op.region, self._scopes["region"]
        return (
            (region is here or (region is not None and region.is_within(here)))
            and op.type != "Placeholder"
            and labels.get(LABEL) == self._scopes["tower"]
            and labels.get(_HOST) == self._scopes["host_label"]
            and not any(isinstance(v, tuple) or callable(v) for v in labels.values())
        )

    @property
    def portable(self) -> bool:
        """Whether copies can join other graphs."""
        return not self._outer and not any(map(_belongs_to_graph, self._operations))

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
        copying = _Copying(graph, self._scopes, made, self._specs)
        handles = (op.attrs.get("handle") for op in self._operations)
        for handle in dict.fromkeys(handles):
            if handle in self._graph.read:
                graph.read[handle] = self._graph.read[handle]
                record_read(graph.read[handle])
        with graph.in_scopes({"name": ""}):
            for op in self._operations:
                copying.add(op, self._inside.get(op))
        copying.close(self._inside)
        for op in self._operations:
            record(made[op])
        return made


def _inside(op: Operation) -> _Inside:
    results = [list(block.results) for block in op.blocks]
    return _Inside(len(op.outputs), dict(op.labels), results)


def _belongs_to_graph(op: Operation) -> bool:
    """Whether an operation refers to a queue or a Python function of its graph."""
    effects = op.definition.effects
    return bool(effects.client or effects.fills or effects.drains)


class _Copying:
    """A copy that is being added to a graph."""

    def __init__(
        self,
        graph: Graph,
        before: dict[str, Any],
        made: Made,
        specs: dict[Tensor, TensorSpec],
    ) -> None:
        self.made, self._specs = made, specs
        self._graph, self._before, self._now = graph, before, graph.scopes_in_force()
        self._regions: dict[Region, Region] = {}

    def add(self, op: Operation, inside: _Inside | None) -> None:
        """Add the copy of an operation."""
        region = self._around(op)
        outputs = op.outputs if inside is None else op.outputs[: inside.outputs]
        copy = Operation(
            self._graph,
            op.type,
            self._unique_name(op.name),
            inputs=[self.made.get(tensor, tensor) for tensor in op.inputs],
            specs=[self._specs.get(tensor, tensor.spec) for tensor in outputs],
            attrs=op.attrs,
            control_inputs=self._control(op),
            device=op.placement,
            region=region,
            blocks=[self._inner(block) for block in op.blocks],
            site=op.site,
            index=self._graph.version,
        )
        labels = op.labels if inside is None else inside.labels
        copy.labels = {key: self.made.get(v, v) for key, v in labels.items()}
        if region is not None and region.replicated is not None:
            copy.labels[_REPLICATED] = region.replicated.name
        self.made[op] = copy
        for old, new in zip(outputs, copy.outputs, strict=True):
            self.made[old] = new
            new.know_constant(old.operand().value)
        self._graph.add(copy)

    def close(self, operations: dict[Operation, _Inside]) -> None:
        """Complete the copies of the regions."""
        for op, inside in operations.items():
            for block, results in zip(op.blocks, inside.results, strict=True):
                copy = self._inner(block)
                copy.parameters = [self.made[t] for t in block.parameters]
                copy.results = [self.made.get(t, t) for t in results]
                first = block.first.items()
                copy.first = {self.made[t]: self.made.get(u, u) for t, u in first}

    def _control(self, op: Operation) -> list[Operation]:
        before = dict.fromkeys(self._before["control"])
        own = [self.made.get(op, op) for op in op.control_inputs if op not in before]
        here = op.region is self._before["region"]
        return list(dict.fromkeys([*own, *(self._now["control"] if here else ())]))

    def _around(self, op: Operation) -> Region | None:
        """Return the region of the copy of an operation."""
        here = op.region is self._before["region"]
        region: Region | None = self._now["region"] if here else self._inner(op.region)
        return region

    def _inner(self, region: Any) -> Region:
        """Return the copy of a region of the part."""
        if region not in self._regions:
            outer = region.outer
            at_edge = outer is self._before["region"]
            self._regions[region] = replace(
                region,
                name=self._unique_name(region.name),
                outer=self._now["region"] if at_edge else self._inner(outer),
                stand_in=None,
                operations=[],
            )
        return self._regions[region]

    def _unique_name(self, name: str) -> str:
        scope = self._before["name"]
        if name.startswith(scope):
            name = self._now["name"] + name[len(scope) :]
        return self._graph.unique_name(name)
