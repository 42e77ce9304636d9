"""Variables of a strategy: mirrored over devices, or local to each tower."""

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.registry import REGISTRY
from tpuref.engine.ops.state import ASSIGN
from tpuref.interface.distribute.batching import combined_value, reduced_in_trace
from tpuref.interface.distribute.member import Member
from tpuref.interface.distribute.place import Place, current_place
from tpuref.interface.distribute.reduction import fold
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.updates import along, operation_of, update
from tpuref.interface.distribute.values import DistributedValues
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.logic import logical_and


class DistributedVariable(DistributedValues, Variable):
    """A variable with a component on each of several devices.

    In a tower, and in an update, it stands for the component on the current device.
    `towers` are the devices of the strategy that made it.
    """

    def __init__(self, towers: TowerDevices, index: Mapping[str, Variable]) -> None:
        DistributedValues.__init__(self, index)
        self._towers = towers
        first = self.primary
        self.trainable, self.constraint = first.trainable, first.constraint
        self.synchronization = first.synchronization
        self.aggregation = first.aggregation
        self._name, self._dtype, self._shape = first._name, first.dtype, first.shape
        self._initializer: Operation | None = None
        self._handle = first._handle
        for component in self.components:
            component._distributed_container = weakref.ref(self)

    @property
    def primary(self) -> Variable:
        """The component of the first device."""
        component: Variable = self.components[0]
        return component

    def here(self) -> Variable:
        """Return the component of the current device, or the first one.

        While all replicas are traced at once, the first one stands for all.
        """
        trace = current_place().trace
        if trace is not None:
            return trace.component(self.index)
        component: Variable = self.index.get(current_place().device or "", self.primary)
        return component

    @property
    def name(self) -> str:
        """The name of the first component."""
        return self.primary.name

    @property
    def handle(self) -> str:
        """The key of the current component."""
        return self.here().handle

    @property
    def op(self) -> Operation:
        """The operation of the current component."""
        return self.here().op

    @property
    def device(self) -> str:
        """The device name of the current component."""
        return self.here().device

    @property
    def initializer(self) -> Operation:
        """The operation that initializes all components."""
        if self._initializer is None:
            starts = [v.initializer for v in self.components]
            with _outside_regions(self.graph):
                self._initializer = group(*starts, name=f"{self._name}/init")
        assert self._initializer is not None
        return self._initializer

    @property
    def initial_value(self) -> Tensor:
        """The initial value of all components."""
        return self.primary.initial_value

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return whether all components have a value."""
        known = self.primary.is_initialized()
        for component in self.components[1:]:
            known = logical_and(known, component.is_initialized(), name=name)
        return known

    def load(self, value: Any, session: Any = None) -> None:
        """Set all components to a value in `session`, without adding to the graph."""
        for component in self.components:
            component.load(value, session)

    def start_with(self, value: Any) -> None:
        """Replace the initial values of all components."""
        for component in self.components:
            component.start_with(value)
        self._initializer = None

    def read_value(self) -> Tensor:
        """Return the value of the current component, or the first one."""
        place = current_place()
        here = place.trace is not None or place.device in self.index
        if here or get_default_graph().region is None:
            return self.here().read_value()
        with self._towers.on(self.devices[0]):  # a core reads only its own component
            return self.primary.read_value()

    def _as_graph_element(self) -> Tensor:
        return self.here()._as_graph_element()

    def __iter__(self) -> Any:
        return Variable.__iter__(self)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.name!r} shape={self.shape} "
            f"dtype={self.dtype.name} {self._details()} on {', '.join(self.devices)}>"
        )

    def _details(self) -> str:
        return f"aggregation={self.aggregation.name}"


class MirroredVariable(DistributedVariable):
    """A variable whose components always have the same value.

    Outside of the towers, an assignment changes all components.  Within a tower, the
    towers' values are first combined by the aggregation of the variable.  See
    001_66db0865fe92828f.txt, scope and update.
    """

    def _change(self, op: str, value: Any, name: str | None, read_value: bool) -> Any:
        def change(component: Variable, value: Any) -> Any:
            return component._change(op, value, name, read_value)

        place = current_place()
        if place.trace is not None:
            return self._change_in_trace(place, change, value)
        if place.tower is not None and place.strategy is not None:
            return self._change_in_tower(place.tower, change, value)
        if place.across and place.device is not None:
            return change(self.here(), value)
        if place.strategy is None:
            return self._change_all(change, value)
        return update(self, change, (value,), {}, place.strategy.towers)

    def restore(self, value: Any, session: Any = None) -> None:
        """Set all components to a value of a checkpoint, also within a tower."""
        for component in self.components:
            component.restore(value, session)

    def _change_all(self, change: Callable[..., Any], value: Any) -> Any:
        """Change all components outside of any scope; return the first one's result."""
        results = [change(component, value) for component in self.components]
        made = [op for op in map(operation_of, results) if op is not None]
        return results[0] if executing_eagerly() else along(results[0], made)

    def _change_in_trace(
        self, place: Place, change: Callable[..., Any], value: Any
    ) -> Any:
        """Change the components on all replicas, by the replicas' combined value."""
        if place.tower is not None and self.aggregation is not VariableAggregation.NONE:
            (value,) = reduced_in_trace(
                "assign",
                self.aggregation,
                [convert_to_tensor(value, dtype_hint=self.dtype)],
            )
        return change(self.here(), value)

    def _change_in_tower(
        self, tower: Member, change: Callable[..., Any], value: Any
    ) -> Any:
        alone = self.aggregation is VariableAggregation.NONE
        if alone and self._towers.replicas:  # as in TensorFlow 2.4 and later
            return change(self.here(), value)
        if alone:
            raise codes.NO_AGGREGATION.value_error(
                f"{self!r} cannot be assigned within a tower, because it has no "
                "aggregation that combines towers' values; make it with aggregation="
                "tf.VariableAggregation.SUM, MEAN or ONLY_FIRST_TOWER, or use "
                "merge_call with strategy.reduce and strategy.update"
            )

        def merge(strategy: Any, value: Any) -> Any:
            total = combined_value(self.aggregation, value, self, strategy.towers)
            return update(self, change, (total,), {}, strategy.towers)

        if not isinstance(value, DistributedValues):
            value = convert_to_tensor(value, dtype_hint=self.dtype)
        return tower.merge_call(merge, value)


class TowerLocalVariable(DistributedVariable):
    """A variable whose components each tower changes separately.

    Outside of the towers, its value is that of the components, combined by its
    aggregation.  See 001_66db0865fe92828f.txt, read_var.
    """

    _whole: Tensor | None = None  # the combined value for fetches, built on first use

    def read_value(self) -> Tensor:
        """Return the value of this tower, or the combined value outside of towers."""
        if _on_component(self):
            return self.here().read_value()
        return self.combined()

    def restore(self, value: Any, session: Any = None) -> None:
        """Set the components to values that combine to `value`."""
        shared = self.aggregation is VariableAggregation.SUM
        self.load(value / len(self.components) if shared else value, session)

    def combined(self) -> Tensor:
        """Return the components combined by the aggregation of the variable."""
        if self.aggregation is VariableAggregation.NONE:
            raise codes.NO_AGGREGATION.value_error(
                f"{self!r} cannot be read outside of the towers, because it has no "
                "aggregation that combines its components; make it with aggregation="
                "tf.VariableAggregation.SUM, MEAN or ONLY_FIRST_TOWER, or use "
                "strategy.unwrap(variable)"
            )
        if current_place().trace is not None:
            own = self.here().read_value()
            return reduced_in_trace("read", self.aggregation, [own])[0]
        values = []
        for device, component in self.index.items():
            with self._towers.on(device):
                values.append(component.read_value())
        return fold(self.aggregation, values)

    def _spread(self, value: Any) -> Any:
        """Set the components to values that combine to `value`."""
        share = convert_to_tensor(value, dtype_hint=self.dtype)
        if self.aggregation is VariableAggregation.SUM:
            share = cast(share / len(self.components), self.dtype)
        for device, component in self.index.items():
            with self._towers.on(device):
                component.assign(share)
        return self.combined() if self._combines else share

    @property
    def _combines(self) -> bool:
        return self.aggregation is not VariableAggregation.NONE

    def _as_graph_element(self) -> Tensor:
        if _on_component(self):
            return self.here()._as_graph_element()
        if self._whole is None:
            with _outside_regions(self.graph):
                self._whole = self.combined()
        return self._whole

    def _change(self, op: str, value: Any, name: str | None, read_value: bool) -> Any:
        outside = not _on_component(self)
        if outside and self._towers.replicas and REGISTRY[op] is ASSIGN:
            return self._spread(value)
        if outside:
            raise codes.NO_AGGREGATION.value_error(
                f"{self!r} belongs to the towers and can be assigned only within one; "
                "assign it in a function that call_for_each_tower runs, or use "
                "strategy.update(variable, fn)"
            )
        return self.here()._change(op, value, name, read_value)


def _on_component(variable: DistributedVariable) -> bool:
    """Whether the caller is in a replica or an update that has a component."""
    place = current_place()
    if place.trace is not None:
        return place.tower is not None
    return place.device in variable.index


@contextlib.contextmanager
def _outside_regions(graph: Graph) -> Iterator[None]:
    """Add operations that any part of the graph may use."""
    with (
        graph.outside_regions(),
        graph.name_scope(None),
        graph.control_dependencies(None),
    ):
        yield


def read_var(variable: Any) -> Tensor:
    """Return the value of a variable, combined over the towers if tower-local."""
    if isinstance(variable, TowerLocalVariable):
        return variable.combined()
    if not isinstance(variable, Variable):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "read_var: tower_local_var must be a variable, got "
            f"{type(variable).__name__} {variable!r}"
        )
    return variable.read_value()
