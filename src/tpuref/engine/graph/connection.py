"""The target of eager mode: this process, or a cluster."""

from typing import Any

from tpuref.engine.graph.executor import LocalTarget, Target
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.engine.graph.target import open_target, target_of
from tpuref.engine.runtime.system import LOCAL
from tpuref.engine.runtime.topology.devices import DeviceAttributes


class _Connection:
    """The target; this module alone writes it."""

    def __init__(self) -> None:
        self.target: Target = LocalTarget(LOCAL)
        self.name = ""


_connection = _Connection()


def connect_eager_mode(given: Any, function: str) -> None:
    """Run the operations of eager mode on a master, or a resolver's, from now on."""
    name = target_of(given, function)
    name = "" if name == "local" else name
    if name != _connection.name:
        target = open_target(name, ConfigProto() if name else None, function)
        _connection.target.close()
        _connection.target, _connection.name = target, name


def connected_target() -> Target:
    """Return the target that runs the operations of eager mode."""
    return _connection.target


def is_remote() -> bool:
    """Return whether that is another process."""
    return bool(_connection.name)


def connected_devices() -> list[DeviceAttributes]:
    """Return the devices of this process, or of the cluster it is connected to."""
    return _connection.target.list_devices()
