"""A part of a graph, of which copies with other inputs join a graph."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.recorder import record, record_read
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import LABEL

Made = dict[Tensor | Operation, Any]


def _is_fed(op: Operation) -> bool:
    """Whether a run must be given the value: it is no parameter of a region."""
    parameters = () if op.region is None else op.region.parameters
    fed = op.definition.traits.fed
    return fed and not any(tensor.op is op for tensor in parameters)


class Part:
    """The operations that a graph got since it had `begin` of them.

    `results` are those of its tensors that others know.  Copies have other tensors in
    the place of `inputs`.
    """

    def __init__(
        self, graph: Graph, begin: int, inputs: Sequence[Tensor], results: Iterable[Any]
    ) -> None:
        self._graph, self._inputs = graph, inputs
        self._scopes = graph.scopes_in_force()
        self._operations = graph.get_operations()[begin:]
        self._specs = {tensor: tensor.spec for tensor in results}
        # A later gradient lets branches and loops return more.
        self._inside = {op: _inside(op) for op in self._operations if op.blocks}
        used: set[Tensor] = set(self._specs)
        awaited: set[Operation] = set()
        for op in self._operations:
            used.update(op.inputs)
            awaited.update(op.control_inputs)
        for op, (_, _, inner) in self._inside.items():
            used.update(*inner, *(block.first.values() for block in op.blocks))
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
        region, here = op.region, self._scopes["region"]
        return (
            (region is here or (region is not None and region.is_within(here)))
            and not _is_fed(op)
            and op.labels.get(LABEL) == self._scopes["tower"]
            and op.host_label == self._scopes["host_label"]
            and not any(isinstance(v, tuple) or callable(v) for v in op.labels.values())
        )

    @property
    def portable(self) -> bool:
        """Whether copies can join other graphs: without tensors or objects of one."""
        effects = [op.definition.effects for op in self._operations]
        return not self._outer and not any(
            e.client or e.fills or e.drains for e in effects
        )

    def fits(self, graph: Graph) -> bool:
        """Whether a copy can join a graph in the scopes in force."""
        return all(
            op.graph is graph
            and (
                op.region is None
                or (graph.region and graph.region.is_within(op.region))
            )
            for op in self._outer
        )

    def copy(self, graph: Graph, inputs: Sequence[Tensor]) -> Made:
        """Add a copy to a graph; return the copies of tensors and operations."""
        made: Made = dict(zip(self._inputs, inputs, strict=True))
        before, now = self._scopes, graph.scopes_in_force()
        regions: dict[Any, Any] = {before["region"]: now["region"]}

        def renamed(name: str) -> str:
            own = name.startswith(before["name"])
            return now["name"] + name[len(before["name"]) :] if own else name

        def region_of(old: Any) -> Any:
            if old not in regions:
                name = graph.unique_name(renamed(old.name))
                changed = {"outer": region_of(old.outer), "operations": []}
                regions[old] = replace(old, name=name, stand_in=None, **changed)
            return regions[old]

        for handle in dict.fromkeys(op.attrs.get("handle") for op in self._operations):
            if handle in self._graph.read:
                graph.read[handle] = self._graph.read[handle]
                record_read(graph.read[handle])
        with graph.in_scopes({"name": ""}):
            for op in self._operations:
                count, labels, _ = self._inside.get(op, (None, op.labels, ()))
                outputs, region = op.outputs[:count], region_of(op.region)
                control = [
                    made.get(o, o)
                    for o in op.control_inputs
                    if o not in before["control"]
                ]
                made[op] = copy = Operation(
                    graph,
                    op.type,
                    graph.unique_name(renamed(op.name)),
                    inputs=[made.get(tensor, tensor) for tensor in op.inputs],
                    specs=[self._specs.get(tensor, tensor.spec) for tensor in outputs],
                    attrs=op.attrs,
                    control_inputs=control,
                    device=op.placement,
                    region=region,
                    blocks=[region_of(block) for block in op.blocks],
                    site=op.site,
                    index=graph.version,
                )
                if op.region is before["region"]:
                    copy.control_inputs += now["control"]
                copy.labels = {key: made.get(v, v) for key, v in labels.items()}
                if region is not None and region.replicated is not None:
                    copy.labels["_tpu_replicate"] = region.replicated.name
                for old, new in zip(outputs, copy.outputs, strict=True):
                    made[old] = new
                    new.know_constant(old.operand().value)
                graph.add(copy)
        for op, (_, _, results) in self._inside.items():
            for block, own in zip(op.blocks, results, strict=True):
                region = region_of(block)
                region.parameters = [made[tensor] for tensor in block.parameters]
                region.results = [made.get(tensor, tensor) for tensor in own]
                first = block.first.items()
                region.first = {made[t]: made.get(value, value) for t, value in first}
        for op in self._operations:
            record(made[op])
        return made


def _inside(op: Operation) -> tuple[int, dict[str, Any], list[list[Tensor]]]:
    return len(op.outputs), dict(op.labels), [list(b.results) for b in op.blocks]
