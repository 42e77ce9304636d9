"""A part of a graph, of which copies with other inputs join a graph."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.recorder import record, record_read
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import LABEL

Made = dict[Tensor | Operation, Any]


def _is_fed(op: Operation) -> bool:
    """Whether a run must be given the value: it is no parameter of a region."""
    parameters = () if op.region is None else op.region.parameters
    fed = op.definition.traits.fed
    return fed and not any(tensor.op is op for tensor in parameters)


class Part:
    """The operations of a graph from number `begin` on.

    `results` are the tensors among theirs that the caller returns.  A copy reads other
    tensors instead of `inputs`.
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
        copying = _Copying(graph, self._scopes, zip(self._inputs, inputs, strict=True))
        for handle in dict.fromkeys(op.attrs.get("handle") for op in self._operations):
            if handle in self._graph.read:
                graph.read[handle] = self._graph.read[handle]
                record_read(graph.read[handle])
        with graph.in_scopes({"name": ""}):
            for op in self._operations:
                count, labels, _ = self._inside.get(op, (None, op.labels, ()))
                outputs = op.outputs[:count]
                specs = [self._specs.get(tensor, tensor.spec) for tensor in outputs]
                copying.add(op, outputs, specs, labels)
        for op, (_, _, results) in self._inside.items():
            for block, own in zip(op.blocks, results, strict=True):
                copying.close(block, own)
        for op in self._operations:
            record(copying.made[op])
        return copying.made


class _Copying:
    """A copy that joins a graph; `before` are the scopes in which its origin began."""

    def __init__(
        self,
        graph: Graph,
        before: dict[str, Any],
        inputs: Iterable[tuple[Tensor, Tensor]],
    ) -> None:
        self.made: Made = dict(inputs)
        self._graph, self._before = graph, before
        self._now = graph.scopes_in_force()
        self._regions: dict[Any, Any] = {before["region"]: self._now["region"]}

    def add(
        self,
        op: Operation,
        outputs: Sequence[Tensor],
        specs: Sequence[TensorSpec],
        labels: dict[str, Any],
    ) -> None:
        """Add the copy of an operation."""
        region = self._region(op.region)
        copy = Operation(
            self._graph,
            op.type,
            self._name(op.name),
            inputs=[self.made.get(tensor, tensor) for tensor in op.inputs],
            specs=specs,
            attrs=op.attrs,
            control_inputs=self._control(op),
            device=op.placement,
            region=region,
            blocks=[self._region(block) for block in op.blocks],
            site=op.site,
            index=self._graph.version,
        )
        copy.labels = {key: self.made.get(v, v) for key, v in labels.items()}
        if region is not None and region.replicated is not None:
            copy.labels["_tpu_replicate"] = region.replicated.name
        self.made[op] = copy
        for old, new in zip(outputs, copy.outputs, strict=True):
            self.made[old] = new
            new.know_constant(old.operand().value)
        self._graph.add(copy)

    def close(self, block: Region, results: Sequence[Tensor]) -> None:
        """Complete the copy of a region, whose operations were added."""
        region, made = self._region(block), self.made
        region.parameters = [made[tensor] for tensor in block.parameters]
        region.results = [made.get(tensor, tensor) for tensor in results]
        region.first = {made[t]: made.get(v, v) for t, v in block.first.items()}

    def _control(self, op: Operation) -> list[Operation]:
        before, now = self._before, self._now
        own = [o for o in op.control_inputs if o not in before["control"]]
        scope = now["control"] if op.region is before["region"] else ()
        return [*(self.made.get(o, o) for o in own), *scope]

    def _region(self, old: Any) -> Any:
        if old not in self._regions:
            name = self._name(old.name)
            changed = {"outer": self._region(old.outer), "operations": []}
            self._regions[old] = replace(old, name=name, stand_in=None, **changed)
        return self._regions[old]

    def _name(self, name: str) -> str:
        before, now = self._before["name"], self._now["name"]
        if name.startswith(before):
            name = now + name[len(before) :]
        return self._graph.unique_name(name)


def _inside(op: Operation) -> tuple[int, dict[str, Any], list[list[Tensor]]]:
    return len(op.outputs), dict(op.labels), [list(b.results) for b in op.blocks]
