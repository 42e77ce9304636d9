"""Values with one component per device: those that differ, and those that agree."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tpuref.base import dlpack
from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.base.dtypes import DType
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.operators import Operators
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.distribute.place import current_place


class DistributedValues:
    """One component for each of several devices.

    `index` has the component of each device, in device order.
    """

    def __init__(self, index: Mapping[str, Any]) -> None:
        if not isinstance(index, Mapping):
            raise wrong_type(
                f"{type(self).__name__}: index",
                "a mapping from devices to their components",
                index,
            )
        if not index:
            raise ValueError(
                f"{type(self).__name__}: index must map at least one device to its "
                "component, got none"
            )
        self.index = dict(index)
        for component in self.index.values():
            _register_component(component, self)

    @property
    def devices(self) -> list[str]:
        """The devices that have a component, in order."""
        return list(self.index)

    @property
    def components(self) -> list[Any]:
        """The components in device order."""
        return list(self.index.values())

    @property
    def values(self) -> tuple[Any, ...]:
        """The components in device order, under the name of TensorFlow 2."""
        return tuple(self.index.values())

    def get(self, device: str | None = None) -> Any:
        """Return the component of `device`, or of the current device.

        It raises ValueError if there is no component for that device.
        """
        if device is not None:
            name = f"{type(self).__name__}.get: device"
            instance_of(str, name, "a device name", device)
        place = current_place()
        if device is None and place.trace is not None:
            return place.trace.own(self.components)
        wanted = place.device if device is None else device
        if wanted not in self.index:
            raise codes.UNKNOWN_DEVICE.value_error(
                f"{self!r} has no component for the device {wanted!r}; it has those "
                f"of {', '.join(self.index)}"
            )
        return self.index[wanted]

    def on_devices(self, devices: Sequence[str]) -> bool:
        """Return whether there is a component for each of `devices`."""
        argument = f"{type(self).__name__}.on_devices: devices"
        return all(device in self.devices for device in listed(argument, devices))

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[Any]:
        raise codes.PER_DEVICE_AS_TENSOR.type_error(
            f"{self!r} cannot be iterated over; strategy.unwrap(value) gives the list "
            "of its components"
        )

    def __repr__(self) -> str:
        parts = ", ".join(f"{d!r}: {v!r}" for d, v in self.index.items())
        return f"{type(self).__name__}({{{parts}}})"


class PerDevice(DistributedValues):
    """Components that differ from tower to tower.

    It is not a tensor: ``strategy.reduce`` combines it, ``strategy.unwrap`` lists the
    components, and ``call_for_each_tower`` passes each tower its component.  See
    001_66db0865fe92828f.txt, call_for_each_tower.
    """

    @property
    def dtype(self) -> DType:
        """The element type of the components."""
        return convert_to_tensor(self.components[0]).dtype

    def _traced_parts(self) -> list[Any]:
        """Return the components, for `tpuref.engine.tracing`."""
        return self.components

    def _with_parts(self, parts: Sequence[Any]) -> PerDevice:
        """Return a value with other components."""
        return type(self)(dict(zip(self.index, parts, strict=True)))

    def _as_tensor(self) -> Tensor:
        raise codes.PER_DEVICE_AS_TENSOR.type_error(
            f"{self!r} differs from tower to tower and has no single value; use "
            "strategy.reduce(aggregation, value, destinations) to combine it, "
            "strategy.unwrap(value) for the list of its components, or pass it to "
            "strategy.call_for_each_tower(fn, value), which gives each tower its part"
        )

    def __dlpack__(self, **wanted: Any) -> Any:
        if len(self.index) > 1:
            raise coded(
                BufferError,
                f"{self!r} has {len(self.index)} components, and DLPack shares one; "
                "share those of strategy.unwrap(value)",
                code=codes.PER_DEVICE_AS_TENSOR,
            )
        return convert_to_tensor(self.components[0]).__dlpack__(**wanted)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU


class TowerOutputs(PerDevice):
    """The towers' outputs of the last step under one name of ``last_step_outputs``.

    It is a per-device value, whose components may be structures.  As in the releases,
    it also acts as the list of its components: when indexed, in ``Session.run``, and
    where a tensor is expected.  See 001_66db0865fe92828f.txt, run_steps_on_dataset and
    unwrap.
    """

    def __getitem__(self, index: Any) -> Any:
        return self.components[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.components)

    def _as_fetches(self) -> list[Any]:
        return self.components

    def _as_tensor(self) -> Tensor:
        return convert_to_tensor(self.components)


class Mirrored(Operators, DistributedValues):
    """The same value on each of several devices.

    Where a tensor is expected, it stands for the component of the current device, or
    the first one.  See 001_66db0865fe92828f.txt, broadcast and reduce.
    """

    @property
    def dtype(self) -> DType:
        """The element type of the components."""
        return self._as_tensor().dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape of the components."""
        return self._as_tensor().shape

    def _traced_parts(self) -> list[Any]:
        """Return the components, for `tpuref.engine.tracing`."""
        return self.components

    def _with_parts(self, parts: Sequence[Any]) -> Mirrored:
        """Return a value with other components."""
        return type(self)(dict(zip(self.index, parts, strict=True)))

    def nearest(self) -> Any:
        """Return the component of the current device, or the first one."""
        return self.index.get(current_place().device or "", self.components[0])

    def numpy(self) -> Any:
        """Return the value as a NumPy array, in eager mode."""
        tensor: Any = self._as_tensor()
        return tensor.numpy()

    def __dlpack__(self, **wanted: Any) -> Any:
        return self._as_tensor().__dlpack__(**wanted)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU

    def _as_tensor(self) -> Tensor:
        return convert_to_tensor(self.nearest())

    def _as_graph_element(self) -> Any:
        return self.nearest()

    def __iter__(self) -> Iterator[Any]:
        return DistributedValues.__iter__(self)


class MapOutput:
    """The result of ``strategy.map``: one value for each element."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = list(values)

    def get(self) -> list[Any]:
        """Return the values, in the order of the elements."""
        return list(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"MapOutput({self._values!r})"


# Keyed by id(component).  A container keeps its components alive, so an id stays valid
# as long as its entry, which disappears with the container.
_containers: weakref.WeakValueDictionary[int, DistributedValues] = (
    weakref.WeakValueDictionary()
)


def _register_component(component: Any, container: DistributedValues) -> None:
    if isinstance(component, (Tensor, Operation, Variable)):
        _containers[id(component)] = container


def container_of(value: Any) -> Any:
    """Return the container of a component, or `value` itself."""
    container = _containers.get(id(value))
    if container is None or not any(value is c for c in container.components):
        return value
    return container
