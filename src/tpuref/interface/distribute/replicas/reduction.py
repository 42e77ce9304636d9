"""Combine the replicas' values: sums, means, and concatenated rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import float64
from tpuref.base.errors import coded
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.reduction import contributions, finish, gathered
from tpuref.interface.distribute.replica_trace import ReplicaTrace
from tpuref.interface.distribute.replicas.reduce_op import ReduceOp
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, PerDevice
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reductions import reduce_prod, reduce_sum

FUNCTION = "Strategy.reduce"


def reduced(op: ReduceOp, value: Any, axis: Any, towers: TowerDevices) -> Any:
    """Return a nest of values combined over the replicas, and over any `axis`."""
    return nest.map_structure(lambda leaf: _reduce_leaf(op, leaf, axis, towers), value)


def _reduce_leaf(op: ReduceOp, value: Any, axis: Any, towers: TowerDevices) -> Any:
    trace = current_place().trace
    if trace is not None and not isinstance(value, DistributedValues):
        return _reduce_traced(op, value, axis, trace)
    if not isinstance(value, DistributedValues):
        return _reduce_shared(op, value, axis, towers)
    if axis is None:
        return _total(op, contributions(FUNCTION, _as_own(value), towers.names), towers)
    sums, counts = _sums_along(value, axis, towers)
    total = _total(ReduceOp.SUM, sums, towers)
    if op is ReduceOp.SUM:
        return total
    count = _total(ReduceOp.SUM, counts, towers)
    if total.dtype.is_integer:
        total = cast(total, float64)
    return total / cast(count, total.dtype)


def _reduce_traced(op: ReduceOp, value: Any, axis: Any, trace: ReplicaTrace) -> Any:
    """Reduce a value of replicas that are traced at once."""

    def summed(part: Any) -> Tensor:
        return trace.gathered(VariableAggregation.SUM, part)

    if axis is None:
        return finish(op.aggregation, trace.towers.count)(summed(value))
    tensor = convert_to_tensor(value)
    total = summed(reduce_sum(tensor, axis))
    if op is ReduceOp.SUM:
        return total
    count = summed(_count(tensor, axis))
    if total.dtype.is_integer:
        total = cast(total, float64)
    return total / cast(count, total.dtype)


def _reduce_shared(op: ReduceOp, value: Any, axis: Any, towers: TowerDevices) -> Any:
    """Reduce a value that all replicas share."""
    if axis is not None:
        tensor = convert_to_tensor(value)
        total = reduce_sum(tensor, axis)
        if op is ReduceOp.SUM:
            return total
        if total.dtype.is_integer:
            total = cast(total, float64)
        return total / cast(_count(tensor, axis), total.dtype)
    if op is ReduceOp.MEAN or towers.count == 1:
        return value
    raise coded(
        ValueError,
        f"{FUNCTION}: {value!r} is one value for all {towers.count} replicas, and its "
        "sum over them is not defined; return tf.identity(value) from the function "
        "that strategy.run calls, or use ReduceOp.MEAN",
        code=codes.NOT_REDUCIBLE,
    )


def _as_own(value: DistributedValues) -> PerDevice:
    return value if isinstance(value, PerDevice) else PerDevice(value.index)


def _total(op: ReduceOp, parts: Sequence[Tensor], towers: TowerDevices) -> Tensor:
    with towers.on_tower(0):
        return finish(op.aggregation, len(parts))(gathered(op.aggregation, parts))


def _sums_along(
    value: DistributedValues, axis: Any, towers: TowerDevices
) -> tuple[list[Tensor], list[Tensor]]:
    """Return each replica's sum over axes, and the number of summed elements."""
    sums, counts = [], []
    for device, component in value.index.items():
        with towers.on(device):
            tensor = convert_to_tensor(component)
            sums.append(reduce_sum(tensor, axis))
            counts.append(_count(tensor, axis))
    return sums, counts


def _count(tensor: Tensor, axis: Any) -> Tensor:
    sizes = shape(tensor)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    return reduce_prod(convert_to_tensor([sizes[k] for k in axes]))


def joined(value: Any, axis: int, towers: TowerDevices) -> Any:
    """Return a nest of values, each with the rows of all replicas concatenated."""

    def one(leaf: Any) -> Any:
        trace = current_place().trace
        if trace is not None and isinstance(leaf, Tensor):
            return concat(trace.of_all(leaf), axis)
        if not isinstance(leaf, DistributedValues):
            return leaf
        with towers.on_tower(0):
            return concat(leaf.components, axis)

    return nest.map_structure(one, value)
