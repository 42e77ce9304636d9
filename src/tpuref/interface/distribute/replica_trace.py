"""Replicas traced once: a computation that each replica runs with its own values.

As in `tf.tpu.replicate`, a tensor of the trace stands for the tensors of all replicas.
A variable with a component on each device is accessed under the handle of its first
component, which each replica resolves to its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base.callsite import user_site
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph import build
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.region import REPLICATED, Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.tpu import REPLICA_INPUT, REPLICATE
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.functions.identity import identity
from tpuref.kernels.fold import SUMMABLE

_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


class ReplicaTrace:
    """The computation of all replicas that one call of a function builds."""

    def __init__(self, towers: TowerDevices) -> None:
        graph = get_default_graph()
        self.towers = towers
        self.region = Region(
            REPLICATED,
            graph.unique_name("replicas"),
            graph.region,
            user_site(),
            towers.count,
        )
        self.replicas = tuple(range(towers.count))
        # The handles of shared variables that are updated once for all replicas
        self.shared: set[str] = set()
        self._columns: list[list[Tensor]] = []

    # -- inputs ----------------------------------------------------------------

    def parameters(self, columns: Sequence[Sequence[Tensor]]) -> list[Tensor]:
        """Return a parameter for each column of inputs, one input per replica."""
        self._columns = [list(column) for column in columns]
        with get_default_graph().in_region(self.region):
            self.region.parameters = [
                build.parameter(REPLICA_INPUT, _common_spec(column), f"input{k}", k)
                for k, column in enumerate(columns)
            ]
        first = [column[0] for column in columns]
        self.region.first = dict(zip(self.region.parameters, first, strict=True))
        return self.region.parameters

    def own(self, parts: Sequence[Any]) -> Tensor:
        """Return the part of each replica, for parts that are alike in shape."""
        stacked = build.apply_one("Pack", *parts, axis=0)
        number = build.apply_one("ReplicaId")
        return build.apply_one("GatherV2", stacked, number, axis=0, batch_dims=0)

    def component(self, index: Mapping[str, Variable]) -> Variable:
        """Return the component that stands for each replica's own one."""
        first = next(iter(index.values()))
        own = [index.get(device, first) for device in self.towers.names]
        handles = tuple(component.handle for component in own)
        if len(set(handles)) > 1:
            self.region.components[handles] = None
        return own[0]

    # -- sums ------------------------------------------------------------------

    def gathered(self, aggregation: VariableAggregation, value: Any) -> Tensor:
        """Return the sum over the replicas, or the first replica's value."""
        tensor = convert_to_tensor(value)
        if len(self.replicas) == 1:
            return identity(tensor)
        if aggregation is VariableAggregation.ONLY_FIRST_TOWER:
            return self._of_replica(0, tensor)
        if tensor.dtype in SUMMABLE:
            return build.apply_one("CrossReplicaSum", tensor, groups=(self.replicas,))
        return build.apply_one("TowerSum", *self.of_all(tensor))

    def of_all(self, tensor: Tensor) -> list[Tensor]:
        """Return the tensor of each replica, in replica order."""
        return [self._of_replica(k, tensor) for k in self.replicas]

    def _of_replica(self, replica: int, tensor: Tensor) -> Tensor:
        """Return one replica's tensor, on all replicas."""
        if tensor.op.region is None or tensor.operand().value is not None:
            return tensor  # a captured tensor or a constant is the same everywhere
        others = tuple(k for k in self.replicas if k != replica)
        return build.apply_one("TowerCopy", tensor, source=replica, targets=others)

    # -- results ---------------------------------------------------------------

    def results(self, leaves: Sequence[Any]) -> list[list[Any] | None]:
        """Add the computation; return each leaf's values by replica.

        None stands for a leaf that holds no tensor or operation of the computation.
        """
        region, towers = self.region, self.towers
        parts = [part for leaf in leaves for part in _parts(leaf) if self._owns(part)]
        tensors = dict.fromkeys(p for p in parts if isinstance(p, Tensor))
        region.results = list(tensors)
        operation = build.add_operation(
            REPLICATE,
            [c[replica] for replica in self.replicas for c in self._columns],
            towers.replication(len(self._columns)).attrs(),
            f"{region.name}/{REPLICATE.name}",
            [region],
        )
        numbers = {tensor: k for k, tensor in enumerate(tensors)}
        done = None
        if not all(isinstance(part, Tensor) for part in parts):
            with get_default_graph().control_dependencies([operation]):
                done = build.apply_operation("NoOp")

        def value(leaf: Any, replica: int) -> Any:
            if hasattr(leaf, "_traced_parts"):
                return leaf._with_parts([value(p, replica) for p in _parts(leaf)])
            if not self._owns(leaf):
                return leaf
            if isinstance(leaf, Operation):
                return done
            return operation.outputs[replica * len(numbers) + numbers[leaf]]

        return [
            [value(leaf, replica) for replica in self.replicas]
            if any(map(self._owns, _parts(leaf)))
            else None
            for leaf in leaves
        ]

    def assigns_shared(self, region: Region | None = None) -> bool:
        """Whether replicas assign variables that they share, other than by updates."""
        region = self.region if region is None else region
        known = {handles[0] for handles in self.region.components} | self.shared
        for operation in region.operations:
            written = operation.definition.writes
            if written is not None and operation.attrs[written] not in known:
                return True
        blocks = (block for op in region.operations for block in op.blocks)
        return any(map(self.assigns_shared, blocks))

    def _owns(self, value: Any) -> bool:
        """Whether a value is a tensor or an operation of the computation."""
        if not isinstance(value, (Tensor, Operation)):
            return False
        operation = value.op if isinstance(value, Tensor) else value
        region = operation.region
        return region is not None and region.is_within(self.region)


def _parts(leaf: Any) -> list[Any]:
    """Return the parts of a composite value, or the value itself."""
    parts = getattr(leaf, "_traced_parts", None)
    return [leaf] if parts is None else [p for q in parts() for p in _parts(q)]


def _common_spec(column: Sequence[Tensor]) -> TensorSpec:
    shape = column[0].shape
    for tensor in column[1:]:
        shape = shape.most_specific_compatible_shape(tensor.shape)
    return TensorSpec(shape, column[0].dtype)


def column_of(parts: Sequence[Any]) -> list[Tensor] | None:
    """Return the replicas' parts as tensors, or None if they are not of one dtype."""
    if not all(isinstance(part, (Tensor, *_NUMBERS)) for part in parts):
        return None
    tensors = [convert_to_tensor(part) for part in parts]
    return tensors if len({tensor.dtype for tensor in tensors}) == 1 else None
