"""Update variables on the devices of their components."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import ALONG
from tpuref.engine.graph.variables import Variable
from tpuref.interface.distribute.grouping import merged, selected_mirrored
from tpuref.interface.distribute.place import across_towers, current_place
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, Mirrored
from tpuref.interface.functions.dependencies import no_op
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.scopes import control_dependencies


def update(
    var: Any,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    towers: TowerDevices,
) -> Any:
    """Call ``fn(component, *args, **kwargs)`` for each component; merge the results."""
    if not isinstance(var, Variable):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"update: var must be a variable, got {type(var).__name__} {var!r}"
        )
    trace = current_place().trace
    if trace is not None:
        trace.shared.add(var.handle)
        component: Any = getattr(var, "here", lambda: var)
        return fn(component(), *args, **kwargs)
    if not isinstance(var, DistributedValues):
        return _update_plain(var, fn, args, kwargs, towers)
    return _on_each(var.index, fn, args, kwargs, towers, "update")


def update_non_slot(
    devices: Sequence[str],
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    towers: TowerDevices,
) -> Any:
    """Call ``fn(*args, **kwargs)`` on each device; merge the results."""
    if current_place().trace is not None:
        return fn(*args, **kwargs)
    return _on_each(dict.fromkeys(devices), fn, args, kwargs, towers, "update_non_slot")


def _update_plain(
    var: Variable,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    towers: TowerDevices,
) -> Any:
    device = "" if executing_eagerly() else var.device
    own = selected_mirrored(device, (args, kwargs), "update")
    with get_default_graph().device(None), towers.on(device), across_towers(device):
        return fn(var, *own[0], **own[1])


def _on_each(
    index: Mapping[str, Any],
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    towers: TowerDevices,
    method: str,
) -> Any:
    results = []
    for device, component in index.items():
        own = selected_mirrored(device, (args, kwargs), method)
        first = () if component is None else (component,)
        with towers.on(device), across_towers(device):
            results.append(fn(*first, *own[0], **own[1]))
    if len(results) == 1:
        return results[0]
    whole = merged(results, list(index), Mirrored, "device")
    return nest.map_structure(lambda value: _run_together(value, towers), whole)


def _run_together(value: Any, towers: TowerDevices) -> Any:
    """Make each component of a result run the updates of all components."""
    if type(value) is not Mirrored or executing_eagerly():
        return value
    made = [operation_of(component) for component in value.components]
    copies = {}
    for device, component in value.index.items():
        with towers.on(device):
            copies[device] = along(component, [op for op in made if op is not None])
    return Mirrored(copies)


def operation_of(value: Any) -> Operation | None:
    """Return the operation of a tensor or operation, or None for a plain value."""
    if isinstance(value, Tensor):
        return value.op
    return value if isinstance(value, Operation) else None


def along(value: Any, others: Sequence[Operation]) -> Any:
    """Return a copy of a tensor or operation that also runs `others`.

    Without it, running one component of an update would not update the other
    components of the variable.
    """
    if isinstance(value, Tensor):
        copy = identity(value)
        copy.op.labels[ALONG] = tuple(others)
        return copy
    if isinstance(value, Operation):
        with control_dependencies([value]):
            done = no_op()
        assert done is not None
        done.labels[ALONG] = tuple(others)
        return done
    return value
