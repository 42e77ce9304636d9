"""Combine the replicas' values: sums, means, and concatenated rows."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import as_list
from tpuref.base.dtypes import float64
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.reduction import contributions, finish, gathered
from tpuref.interface.distribute.replicas.reduce_op import ReduceOp
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, PerDevice
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reductions import reduce_prod, reduce_sum

FUNCTION = "Strategy.reduce"
SUM = VariableAggregation.SUM


def destination() -> str:
    """Return the device of a strategy's results: the current one, else the host.

    On the host, a computation of all replicas needs no second one for its sums.
    """
    return str(get_default_graph().current_device) or "/device:CPU:0"


def reduced(
    op: ReduceOp, value: Any, axis: Any, towers: TowerDevices, device: str
) -> Any:
    """Return a nest of values combined over the replicas, and over any `axis`."""
    return nest.map_structure(
        lambda leaf: _reduce_leaf(op, leaf, axis, towers, device), value
    )


def _reduce_leaf(
    op: ReduceOp, value: Any, axis: Any, towers: TowerDevices, device: str
) -> Any:
    trace, own = current_place().trace, isinstance(value, DistributedValues)
    if not own and trace is None and axis is None:
        return _reduce_shared(op, value, towers)

    def total(parts: Sequence[Tensor]) -> Tensor:
        if own:
            with towers.on(device):
                return gathered(SUM, parts)
        return parts[0] if trace is None else trace.gathered(SUM, *parts)

    if axis is None:
        parts = [] if own else [convert_to_tensor(value)]
        if own:
            alone = value if isinstance(value, PerDevice) else PerDevice(value.index)
            parts = contributions(FUNCTION, alone, towers.names)
        with towers.on(device) if own else contextlib.nullcontext():
            return finish(op.aggregation, towers.count)(total(parts))
    sums, counts = _sums_along(value.index if own else {"": value}, axis, towers)
    whole = total(sums)
    if op is ReduceOp.SUM:
        return whole
    if whole.dtype.is_integer:
        whole = cast(whole, float64)
    return whole / cast(total(counts), whole.dtype)


def _reduce_shared(op: ReduceOp, value: Any, towers: TowerDevices) -> Any:
    """Reduce a value that all replicas share."""
    if op is ReduceOp.MEAN or towers.count == 1:
        return value
    raise codes.NOT_REDUCIBLE.value_error(
        f"{FUNCTION}: {value!r} is one value for all {towers.count} replicas, and its "
        "sum over them is not defined; return tf.identity(value) from the function "
        "that strategy.run calls, or use ReduceOp.MEAN"
    )


def _sums_along(
    index: Mapping[str, Any], axis: Any, towers: TowerDevices
) -> tuple[list[Tensor], list[Tensor]]:
    """Return each component's sum over axes, and the number of summed elements."""
    sums, counts = [], []
    axes = as_list(axis)
    for device, component in index.items():
        with towers.on(device) if device else contextlib.nullcontext():
            tensor = convert_to_tensor(component)
            sizes = shape(tensor)
            sums.append(reduce_sum(tensor, axis))
            counts.append(reduce_prod(convert_to_tensor([sizes[k] for k in axes])))
    return sums, counts


def joined(value: Any, axis: int, towers: TowerDevices, device: str) -> Any:
    """Return a nest of values, each with the rows of all replicas concatenated."""

    def one(leaf: Any) -> Any:
        trace = current_place().trace
        if trace is not None and isinstance(leaf, Tensor):
            return concat(trace.of_all(leaf), axis)
        if not isinstance(leaf, DistributedValues):
            return leaf
        with towers.on(device):
            return concat(leaf.components, axis)

    return nest.map_structure(one, value)
