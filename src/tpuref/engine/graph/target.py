"""The targets that sessions name: this process, or a server."""

import re
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.masking import masked
from tpuref.engine.graph.executor import LocalTarget, Target
from tpuref.engine.graph.session_options import ConfigProto, RPCOptions, checked_config
from tpuref.engine.remote.requirement import check_installed
from tpuref.engine.remote.token import checked_token
from tpuref.engine.runtime.system import connect

_GRPC = re.compile(
    r"grpc://(?P<host>[^/\s:@\[\]]+|\[[0-9A-Fa-f:.%]+\]):(?P<port>[0-9]{1,5})"
)


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
