"""The target of a session, which runs its programs: this process, or a server."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Protocol

from tpuref.base import error_codes as codes
from tpuref.base.masking import masked
from tpuref.engine.graph.session_options import ConfigProto, RPCOptions, checked_config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Program
from tpuref.engine.remote.requirement import check_installed
from tpuref.engine.remote.token import checked_token
from tpuref.engine.runtime.host import HostProgram
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.system import LOCAL, Cluster, connect
from tpuref.engine.runtime.topology.devices import DeviceAttributes

_GRPC = re.compile(
    r"grpc://(?P<host>[^/\s:@\[\]]+|\[[0-9A-Fa-f:.%]+\]):(?P<port>[0-9]{1,5})"
)


class Target(Protocol):
    """The interface of targets, which run the programs of a session."""

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run `program` and return its results."""

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices."""

    def reset(self) -> None:
        """Forget the variables that sessions share."""

    def close(self) -> None:
        """Release the resources of the session."""


class LocalTarget:
    """Runs programs in this process, on the TPU systems of the `cluster`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._programs: dict[int, HostProgram] = {}

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""
        return self._cluster.jobs

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run `program` and return its results."""
        run.systems = self._cluster
        prepared = self._programs.get(id(program))
        if prepared is None:
            prepared = self._programs[id(program)] = HostProgram(program)
        return prepared.run(inputs, run)

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the devices."""
        return self._cluster.devices()

    def reset(self) -> None:
        """Refuse: sessions of this process share no variables."""
        raise NotImplementedError(
            "tf.Session.reset: each session of this process has variables of its own; "
            "reset is for the target of a tf.train.Server"
        )

    def close(self) -> None:
        """Stop the systems of a cluster that belongs to the session alone."""
        if self._cluster is not LOCAL:
            self._cluster.reset()


def target_of(given: Any, function: str) -> str:
    """Return the name of a target; of a cluster resolver its master."""
    master = getattr(given, "master", None)
    target = master() if callable(master) else given
    if not isinstance(target, str):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: target must be text, or a cluster resolver, got "
            f"{type(given).__name__} {given!r}"
        )
    return target


def open_target(name: str, config: ConfigProto | None, function: str) -> Target:
    """Return the target of that name for `function`, the caller in messages.

    `name` is ``""`` or ``"local"`` for this process, ``"grpc://host:port"`` for a
    server.  It raises ImportError if a server needs gRPC, which is not installed, and
    UnavailableError if no server answers.
    """
    config = checked_config(config, function)
    if name not in ("", "local"):
        return _remote(_address(name, function), config or ConfigProto(), function)
    return LocalTarget(connect(None if config is None else config.cluster_def))


def _address(name: str, function: str) -> str:
    match = _GRPC.fullmatch(name)
    if match is None or not 0 < int(match["port"]) < 65536:
        raise codes.INVALID_CLUSTER.value_error(
            f"{function}: target must be '' or 'local' for this process, or "
            f"'grpc://host:port' for a server, got {masked(repr(name))}"
        )
    return name.removeprefix("grpc://")


def _remote(address: str, config: ConfigProto, function: str) -> Target:
    check_installed(f"{function}({'grpc://' + address!r})")
    from tpuref.engine.remote.session import RemoteSession  # needs gRPC

    options = config.rpc_options or RPCOptions()
    jobs = () if config.cluster_def is None else config.cluster_def.job
    return RemoteSession(
        address,
        jobs=[job.name for job in jobs],
        isolated=config.isolate_session_state,
        credentials=options.credentials,
        token=checked_token(options.token, "tf.RPCOptions"),
        max_message_bytes=options.max_message_bytes,
    )
