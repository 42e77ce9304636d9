"""The devices that eager mode has, and the settings of them that programs touch."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.engine.graph.connection import connected_devices, is_remote
from tpuref.engine.graph.default import begin_eagerly

_TYPES = ("CPU", "GPU", "TPU")


class LogicalDevice(NamedTuple):
    """A device for operations: its `device_type` is ``"CPU"`` or ``"TPU"``."""

    name: str
    device_type: str


class PhysicalDevice(NamedTuple):
    """A device of a computer: its `device_type` is ``"CPU"`` or ``"TPU"``."""

    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """Limits of a logical device, accepted for programs that set them."""

    memory_limit: int | None = None
    experimental_priority: int | None = None


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Return the devices, those of the cluster after connecting to one.

    The type is ``"CPU"``, ``"GPU"`` or ``"TPU"``, or None for all.  It raises
    ValueError for another `device_type`.

    Examples
    --------
    >>> with tf.eager_execution(), tf.config.override(cores=2):
    ...     [device.name for device in tf.config.list_logical_devices("TPU")]
    ['/device:TPU:0', '/device:TPU:1']
    """
    begin_eagerly()
    return [
        LogicalDevice(name, kind) for name, kind in _device_names(device_type, "device")
    ]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices under the names of physical ones; see `list_logical_devices`.

    Examples
    --------
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [
        PhysicalDevice(name, kind)
        for name, kind in _device_names(device_type, "physical_device")
    ]


def _device_names(device_type: Any, label: str) -> list[tuple[str, str]]:
    if device_type not in (None, *_TYPES):
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.config: device_type must be one of {', '.join(_TYPES)}, or None, got "
            f"{device_type!r}"
        )
    devices = []
    for device in connected_devices():
        kind = device.device_type
        if kind in _TYPES and device_type in (None, kind):
            number = device.name.rpartition(":")[2]
            local = f"/{label}:{kind}:{number}"
            devices.append((device.name if is_remote() else local, kind))
    return devices


class _Placement:
    """Settings of placement; this module alone writes them."""

    soft = True
    deterministic = False


_placement = _Placement()


def set_soft_device_placement(enabled: bool) -> None:
    """Set whether operations on unknown devices run on the host, as eager ones do."""
    _placement.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Return the setting of `set_soft_device_placement`."""
    return _placement.soft


def enable_op_determinism() -> None:
    """Note the wish; operations give the same bits for the same seeds anyway."""
    _placement.deterministic = True


def disable_op_determinism() -> None:
    """Take the wish of `enable_op_determinism` back."""
    _placement.deterministic = False


def is_op_determinism_enabled() -> bool:
    """Return whether the program asked for it; Keras then compiles no model."""
    return _placement.deterministic


def accepted(*args: Any, **kwargs: Any) -> None:
    """Accept a setting that has no effect on CPU cores."""


experimental = SimpleNamespace(
    disable_mlir_bridge=accepted,
    enable_mlir_bridge=accepted,
    enable_op_determinism=enable_op_determinism,
    list_logical_devices=list_logical_devices,
    list_physical_devices=list_physical_devices,
    set_memory_growth=accepted,
    set_visible_devices=accepted,
)
optimizer = SimpleNamespace(set_experimental_options=accepted, set_jit=accepted)
threading = SimpleNamespace(
    set_inter_op_parallelism_threads=accepted, set_intra_op_parallelism_threads=accepted
)
