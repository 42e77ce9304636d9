"""One call of a function for all replicas of a strategy."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tpuref.base import nest
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.distribute.place import in_traced_replica
from tpuref.interface.distribute.replica_trace import ReplicaTrace, column_of
from tpuref.interface.distribute.replicas.context import ReplicaContext
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import Mirrored, PerDevice


class OwnParts(NamedTuple):
    """The arguments of a call, with a column for each that differs by replica.

    `columns` has the tensors of all replicas for each parameter;
    ``filled(parameters)`` returns the arguments with the parameters.
    """

    columns: list[list[Tensor]]
    structure: Any
    leaves: list[Any]

    def filled(self, parameters: Sequence[Tensor]) -> Any:
        """Return the arguments with the parameters of the computation."""
        rest = iter(parameters)
        leaves = [next(rest) if leaf is _DIFFERS else leaf for leaf in self.leaves]
        return nest.pack_sequence_as(self.structure, leaves)


_DIFFERS = object()


def own_parts(arguments: Any, towers: TowerDevices) -> OwnParts | None:
    """Return the arguments divided, or None if other than tensors differ."""
    columns, leaves = [], []
    for leaf in nest.flatten(arguments):
        if isinstance(leaf, Mirrored):
            leaves.append(leaf.nearest())
        elif not isinstance(leaf, PerDevice):
            leaves.append(leaf)
        else:
            parts = [leaf.get(device) for device in towers.names]
            if all(part is parts[0] for part in parts[1:]):
                leaves.append(parts[0])
                continue
            column = column_of(parts)
            if column is None:
                return None
            columns.append(column)
            leaves.append(_DIFFERS)
    return OwnParts(columns, arguments, leaves)


def traced_once(
    fn: Callable[..., Any], own: OwnParts, replica: ReplicaContext, towers: TowerDevices
) -> tuple[Any] | None:
    """Call a function once for all replicas, and return its results by replica.

    None stands for a function whose replicas assign a variable that they share: those
    assignments follow one another, so the function has to be called for each replica.
    """
    trace, graph = ReplicaTrace(towers), get_default_graph()
    args, kwargs = own.filled(trace.parameters(own.columns))
    with (
        graph.in_region(trace.region),
        graph.in_tower(None),
        in_traced_replica(replica, trace),
    ):
        results = fn(*args, **kwargs)
    if len(trace.replicas) > 1 and trace.assigns_shared():
        return None
    leaves = nest.flatten(results)
    outputs = [
        leaf if values is None else _by_replica(values, towers)
        for leaf, values in zip(leaves, trace.results(leaves), strict=True)
    ]
    return (nest.pack_sequence_as(results, outputs),)


def _by_replica(values: Sequence[Any], towers: TowerDevices) -> Any:
    if all(value is values[0] for value in values):
        return values[0]
    return PerDevice(dict(zip(towers.names, values, strict=True)))
