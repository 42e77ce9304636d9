"""The server of one task of a cluster: other processes open sessions on it."""

from __future__ import annotations

import ipaddress
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import FailedPreconditionError
from tpuref.engine.remote.requirement import check_installed
from tpuref.engine.remote.token import checked_token
from tpuref.engine.runtime.log import advice
from tpuref.interface.cluster_resolver import addresses
from tpuref.interface.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec

if TYPE_CHECKING:
    from tpuref.engine.remote.server import SessionServer

_MESSAGE_BYTES = 1 << 29
_LOG = advice("server")


@dataclass
class ServerDef:
    """The configuration of a server.

    `cluster` has the jobs of the cluster.  `job_name` and `task_index` are the task of
    the server.  `protocol` is ``"grpc"``.  `default_session_config` is accepted for
    compatibility; sessions have their own options.
    """

    cluster: ClusterDef = field(default_factory=ClusterDef)
    job_name: str = ""
    task_index: int = 0
    protocol: str = ""
    default_session_config: Any = None


class Server:
    """A server that lets other processes run graphs in this one.

    A session on the server's `target` runs its graphs here: on the TPU system of this
    process, with the settings of this process.  All sessions share the variables, which
    last until the server stops or `tf.Session.reset`.  Python functions that a graph
    calls, and datasets, run in the process of the session.

    The server listens only on the address that the cluster gives for its task:
    ``localhost`` is reachable only from this computer.  If others can reach the
    address, pass `token` and `credentials`.  See 004_1530f51430af0bea.txt,
    coordinator_address: a server is started if a coordinator has a name but no address.
    It raises ImportError if gRPC is not installed: ``pip install tpuref[cloud]``;
    ValueError if the task is ambiguous or not in the cluster, the protocol is
    unsupported, or the token is empty or not printable ASCII; and
    `tf.errors.UnknownError` if the server cannot listen on the address.

    Parameters
    ----------
    server_or_cluster_def
        A `ServerDef`, `ClusterDef`, `ClusterSpec`, or a dictionary from jobs to
        addresses.  Port 0 chooses a free port.
    job_name, task_index
        The task of this server in the cluster.  Optional if there is only one.
    protocol
        ``"grpc"``, the default.
    config
        Accepted for compatibility; sessions have their own options.
    credentials
        A ``grpc.ServerCredentials``, as from ``grpc.ssl_server_credentials(...)``;
        connections then use TLS.
    token
        The token that sessions must send (``tf.RPCOptions(token=...)``), by default the
        environment variable ``TPUREF_TOKEN``.  Without one, the server accepts every
        session.
    max_message_bytes
        The size limit of a message: a program with its constants, or the values fed to
        one run.

    Examples
    --------
    >>> server = tf.train.Server({"worker": ["localhost:0"]})
    >>> with tf.Session(server.target) as sess:
    ...     [float(x) for x in sess.run(tf.tpu.rewrite(lambda x: x + 1, [2.0]))]
    [3.0]
    >>> server.stop()
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
        *,
        credentials: Any = None,
        token: str | None = None,
        max_message_bytes: int = _MESSAGE_BYTES,
    ) -> None:
        self.server_def = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        check_installed("tf.train.Server")
        from tpuref.engine.remote.server import SessionServer  # needs gRPC

        cluster = ClusterSpec(self.server_def.cluster)
        job, task = self.server_def.job_name, self.server_def.task_index
        self._host, address = addresses.listening(
            cluster.task_address(job, task), "tf.train.Server"
        )
        token = checked_token(token, "tf.train.Server")
        self._serving: SessionServer = SessionServer(
            address,
            job,
            credentials=credentials,
            token=token,
            max_message_bytes=max_message_bytes,
        )
        _warn_if_unprotected(address, token, credentials)
        self._stopping = weakref.finalize(self, self._serving.stop)
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return a server that is the only task of the job ``local``.

        Examples
        --------
        >>> server = tf.train.Server.create_local_server()
        >>> server.target.startswith("grpc://localhost:")
        True
        >>> server.stop()
        """
        return Server({"local": ["localhost:0"]}, "local", 0, "grpc", config, start)

    @property
    def target(self) -> str:
        """The target for a session on this server, ``grpc://host:port``."""
        return f"grpc://{self._host}:{self._serving.port}"

    def start(self) -> None:
        """Start the server, unless it already runs.

        It raises FailedPreconditionError if the server was stopped.
        """
        if not self._stopping.alive:
            raise FailedPreconditionError(
                "tf.train.Server.start: the server was stopped; create a new one",
                code=codes.SESSION_CLOSED,
            )
        self._serving.start()

    def join(self) -> None:
        """Wait until the server stops; Ctrl-C ends the wait."""
        self._serving.wait()

    def stop(self) -> None:
        """End all sessions and stop listening."""
        self._stopping()


def _server_def(
    cluster_def: Any,
    job: str | None,
    task: int | None,
    protocol: str | None,
    config: Any,
) -> ServerDef:
    if isinstance(cluster_def, ServerDef):
        base = cluster_def
        job = base.job_name if job is None else job
        task = base.task_index if task is None else task
        protocol = base.protocol if protocol is None else protocol
        config = base.default_session_config if config is None else config
        cluster_def = base.cluster
    if protocol not in (None, "", "grpc"):
        raise codes.INVALID_CLUSTER.value_error(
            f"tf.train.Server: protocol must be 'grpc', got {protocol!r}"
        )
    cluster = ClusterSpec(cluster_def)
    job = _only(cluster.jobs, "job_name") if job is None else job
    if task is None:
        task = _only(cluster.task_indices(job), "task_index")
    return ServerDef(cluster.as_cluster_def(), job, task, "grpc", config)


def _only(choices: list[Any], argument: str) -> Any:
    if len(choices) != 1:
        raise codes.INVALID_CLUSTER.value_error(
            f"tf.train.Server: {argument} is missing; expected one of {choices}"
        )
    (only,) = choices
    return only


def _warn_if_unprotected(address: str, token: str | None, credentials: Any) -> None:
    """Warn if other computers can reach the server without a token or TLS."""
    protections = {"a token": token, "TLS": credentials}
    lacking = [name for name, value in protections.items() if value is None]
    if not lacking or _is_loopback(address):
        return
    _LOG.warning(
        "tf.train.Server: other computers may reach %s, which is served without %s: "
        "%s. Pass token= and credentials=, or listen on localhost [%s]",
        address,
        " and without ".join(lacking),
        "anyone who connects can run programs, change the variables and shut the TPU "
        "system down"
        if token is None
        else "anyone on the network can read the token",
        codes.SERVER_UNPROTECTED,
    )


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
