"""Where a result is to be: the documented forms of destinations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.distribute.values import DistributedValues
from tpuref.graph.device import DeviceName
from tpuref.graph.tensor import Tensor
from tpuref.graph.variables import Variable

if TYPE_CHECKING:
    from tpuref.distribute.strategy import DistributionStrategy

Destinations = list[str]


def devices_of(
    function: str, destinations: Any, strategy: DistributionStrategy
) -> Destinations:
    """Return the devices that `destinations` stand for.

    Parameters
    ----------
    function
        The name of the caller, for messages.
    destinations
        A variable, a per-device or mirrored value, a tensor, a device or a list of
        devices.
    strategy
        The strategy, whose devices may be named in short.

    Raises
    ------
    ValueError
        If they are something else, or a device is none of the strategy's.
    """
    if isinstance(destinations, DistributedValues):
        return destinations.devices
    if isinstance(destinations, (Tensor, Variable)):
        return [destinations.device]
    if isinstance(destinations, str):
        return [_device(function, destinations, strategy)]
    if isinstance(destinations, (list, tuple)) and destinations:
        named = [_device(function, device, strategy) for device in destinations]
        return list(dict.fromkeys(named))
    raise ValueError(_wrong(function, destinations))


def _wrong(function: str, destinations: Any) -> str:
    return (
        f"{function}: destinations must be a variable, a per-device value, a device "
        f"such as '/device:TPU:0' or a list of devices, got {destinations!r}"
        f" [{codes.UNKNOWN_DESTINATION}]"
    )


def _device(function: str, device: Any, strategy: DistributionStrategy) -> str:
    """Return the full name of a device; one of the host's is left as it is."""
    if not isinstance(device, str):
        raise ValueError(_wrong(function, device))
    wanted = DeviceName.parse(device)
    for known in strategy.worker_devices:
        if _covers(wanted, DeviceName.parse(known)):
            return known
    if wanted.kind == "TPU":
        raise coded(
            ValueError,
            f"{function}: {device!r} is no device of the strategy, whose devices are "
            f"{', '.join(strategy.worker_devices)}",
            code=codes.UNKNOWN_DESTINATION,
        )
    return str(wanted)


def _covers(short: DeviceName, full: DeviceName) -> bool:
    """Whether a name says nothing else than the full one, and which device it is."""
    given = {k: v for k, v in vars(short).items() if v is not None}
    return short.kind is not None and given.items() <= vars(full).items()
