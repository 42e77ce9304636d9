"""Resolve the destinations of a result to devices."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.distribute.place import current_place
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, Mirrored
from tpuref.interface.functions.identity import identity


def devices_of(function: str, destinations: Any, towers: Sequence[str]) -> list[str]:
    """Return the devices of `destinations`.

    `destinations` is a variable, a per-device or mirrored value, a tensor, a device or
    a list of devices; names of the towers' devices may be abbreviated.  `function` is
    the name of the caller, for messages.
    """
    if isinstance(destinations, DistributedValues):
        return destinations.devices
    if isinstance(destinations, (Tensor, Variable)):
        return [destinations.device]
    if isinstance(destinations, str):
        return [_device(function, destinations, towers)]
    if isinstance(destinations, (list, tuple)) and destinations:
        named = [_device(function, device, towers) for device in destinations]
        return list(dict.fromkeys(named))
    raise ValueError(_destinations_error(function, destinations))


def _destinations_error(function: str, destinations: Any) -> str:
    return (
        f"{function}: destinations must be a variable, a per-device value, a device "
        f"such as '/device:TPU:0' or a list of devices, got {destinations!r}"
        f" [{codes.UNKNOWN_DEVICE}]"
    )


def _device(function: str, device: Any, towers: Sequence[str]) -> str:
    """Return the full name of a tower's device; host devices keep their names."""
    if not isinstance(device, str):
        raise ValueError(_destinations_error(function, device))
    wanted = DeviceName.parse(device)
    for known in towers:
        if _covers(wanted, DeviceName.parse(known)):
            return known
    if wanted.kind == "TPU":
        raise codes.UNKNOWN_DEVICE.value_error(
            f"{function}: {device!r} is no device of the strategy; use one of "
            f"{', '.join(towers)}"
        )
    return str(wanted)


def _covers(short: DeviceName, full: DeviceName) -> bool:
    """Return whether an abbreviated name has a kind and agrees with a full name."""
    parts = {k: v for k, v in vars(short).items() if v is not None}
    return short.kind is not None and parts.items() <= vars(full).items()


def broadcast(tensor: Any, destinations: Any, towers: TowerDevices) -> Any:
    """Return a copy of a value on each of the destinations."""
    if current_place().trace is not None:
        return identity(tensor)
    devices = devices_of("broadcast", destinations, towers.names)
    value, copies = convert_to_tensor(tensor), {}
    for device in devices:
        with towers.on(device):
            copies[device] = identity(value)
    return Mirrored(copies)
