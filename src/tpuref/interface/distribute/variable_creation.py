"""Create the variables of a strategy: one component for each device."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.variables import Variable
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.variables import (
    DistributedVariable,
    MirroredVariable,
    TowerLocalVariable,
)
from tpuref.interface.functions.identity import identity


def create_variable(
    towers: TowerDevices, make: Callable[..., Variable], arguments: dict[str, Any]
) -> DistributedVariable:
    """Create a mirrored or tower-local variable; later towers get the same one.

    All components start with the initial value of the first one.  `make` creates one
    component; the arguments are those of `tf.Variable`, and ``colocated``: the devices
    to use.
    """
    tower = current_place().tower
    if tower is None:
        return _create(towers, make, arguments)
    made: DistributedVariable = tower.variables.get(
        tower.number, arguments.get("name"), lambda: _create(towers, make, arguments)
    )
    return made


def _create(
    towers: TowerDevices, make: Callable[..., Variable], arguments: dict[str, Any]
) -> DistributedVariable:
    kind = _kind(arguments)
    devices = arguments.pop("colocated", towers.names)
    collections = arguments.pop("collections", None)
    components: list[Variable] = []
    graph = get_default_graph()
    for device in devices:
        with graph.device(None), graph.device(device), graph.in_tower(None):
            components.append(_component(make, arguments, components))
    variable = kind(towers, dict(zip(devices, components, strict=True)))
    _collect(variable, collections)
    return variable


def _kind(arguments: dict[str, Any]) -> type[DistributedVariable]:
    when = arguments.get("synchronization", VariableSynchronization.AUTO)
    how = arguments.get("aggregation", VariableAggregation.NONE)
    if not isinstance(how, VariableAggregation):
        raise codes.NO_AGGREGATION.value_error(
            "tf.Variable: aggregation must be one of tf.VariableAggregation, got "
            f"{how!r}"
        )
    if when is VariableSynchronization.ON_READ:
        return TowerLocalVariable
    if when in (VariableSynchronization.AUTO, VariableSynchronization.ON_WRITE):
        return MirroredVariable
    raise codes.NO_AGGREGATION.value_error(
        f"tf.Variable: synchronization {when!r} cannot be used in the scope of a "
        "strategy; use tf.VariableSynchronization.AUTO, ON_WRITE or ON_READ, or make "
        "the variable outside of the scope"
    )


def _component(
    make: Callable[..., Variable], arguments: dict[str, Any], before: Sequence[Variable]
) -> Variable:
    own = {**arguments, "collections": []}
    own["trainable"] = arguments.get("trainable")
    if before:
        own["initial_value"] = _initial_value_of(before[0])
        own["name"] = f"{before[0].name.partition(':')[0]}/replica_{len(before)}"
        own["dtype"] = before[0].dtype
        with get_default_graph().name_scope(None):
            return _make_untracked(make, own)
    return _make_untracked(make, own)


def _make_untracked(
    make: Callable[..., Variable], arguments: dict[str, Any]
) -> Variable:
    """Create a component that joins no collection: the whole variable does."""
    trainable = get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
    count = len(trainable)
    variable = make(**arguments)
    del trainable[count:]
    return variable


def _initial_value_of(first: Variable) -> Callable[[], Any]:
    if executing_eagerly():
        return first.read_value
    return lambda: identity(first.initial_value)


def _collect(variable: DistributedVariable, collections: Sequence[str] | None) -> None:
    if executing_eagerly():
        return
    names = list([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections)
    if variable.trainable:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    get_default_graph().add_to_collections(names, variable)
