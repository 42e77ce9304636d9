"""TPUStrategy: one tower for each core of a TPU system."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.interface.distribute.one_device import OneDeviceStrategy
from tpuref.interface.distribute.strategy import DistributionStrategy
from tpuref.interface.distribute.system_description import describe_system
from tpuref.interface.tpu.system import initialize_system, shutdown_system
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.distribute.TPUStrategy")
class TPUStrategy(OneDeviceStrategy):
    """Runs one tower on each core of a TPU system.

    `tpu_cluster_resolver` is the address of the system: a `TPUClusterResolver`, or an
    object with its methods ``master()`` and ``cluster_spec()``.  ``"local"`` and ``""``
    mean the system of this process.  `steps_per_run` is stored for programs that read
    it, and has no effect.  `num_cores` is the number of cores to use, counted from the
    first; None for all.  It raises TypeError if `tpu_cluster_resolver` lacks a method
    or `num_cores` is not an integer, and ValueError if `num_cores` is less than 1 or
    greater than the number of cores.  The releases call a function once and let the
    system replicate it.  The document calls it once for each tower, each time with
    another ``tower_id``; this class does the same.  See 001_66db0865fe92828f.txt.

    Examples
    --------
    >>> class Local:
    ...     def master(self): return "local"
    ...     def cluster_spec(self): return None
    >>> with tf.config.override(cores=4):
    ...     strategy = tf.contrib.distribute.TPUStrategy(Local(), steps_per_run=1)
    >>> strategy.num_towers, strategy.worker_devices[3]
    (4, '/replica:0/task:0/device:TPU:3')
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any,
        steps_per_run: int,
        num_cores: int | None = None,
    ) -> None:
        self._resolver = tpu_cluster_resolver
        self._system = describe_system(tpu_cluster_resolver)
        self.steps_per_run = steps_per_run
        towers = (
            self._system.cores if num_cores is None else _check_num_cores(num_cores)
        )
        if towers > self._system.cores:
            raise codes.REPLICAS_UNLIKE_CORES.value_error(
                f"TPUStrategy: num_cores is {towers}, but the TPU system has "
                f"{self._system.cores} cores; use at most that many, or a larger "
                f"system (TPUREF_CORES={towers})"
            )
        devices = [self._system.core_device(k) for k in range(towers)]
        # Skips OneDeviceStrategy.__init__, which takes one device and no cores.
        DistributionStrategy.__init__(self, devices, self._system.towers(towers))

    @property
    def num_hosts(self) -> int:
        """The number of hosts of the system."""
        return self._system.hosts

    @property
    def num_towers_per_host(self) -> int:
        """The number of towers on each host.

        The document leaves the entry empty; here it counts the cores in use per host.
        It raises ValueError if hosts have different numbers of towers.
        """
        full, rest = divmod(self.num_towers, self._system.cores_per_host)
        if full and rest:
            raise codes.REPLICAS_UNLIKE_CORES.value_error(
                f"TPUStrategy.num_towers_per_host: the {self.num_towers} towers are "
                f"spread unevenly over hosts of {self._system.cores_per_host} cores; "
                "choose num_cores as a multiple of that"
            )
        return self._system.cores_per_host if full else rest

    def get_host_cpu_device(self, host_id: int) -> str:
        """Return the device name of the CPU of a host.

        The document leaves the entry empty; here it does the same as release 1.11.  It
        raises TypeError if `host_id` is not an integer, and ValueError if the host does
        not exist.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> strategy.get_host_cpu_device(0)
        '/replica:0/task:0/device:CPU:0'
        """
        if not isinstance(host_id, int) or isinstance(host_id, bool):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"get_host_cpu_device: host_id must be a whole number, got {host_id!r}"
            )
        if not 0 <= host_id < self.num_hosts:
            raise codes.UNKNOWN_DEVICE.value_error(
                f"get_host_cpu_device: there is no host {host_id}; the system has "
                f"{self.num_hosts} hosts; use 0 to {self.num_hosts - 1}"
            )
        return self._system.cpu_device(host_id)

    def initialize(self) -> list[Any] | None:
        """Start the TPU system.

        In graph mode, return a list with the tensor of `tf.tpu.initialize_system`, to
        be run.  In eager mode the system starts at once.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> [tensor.op.type for tensor in strategy.initialize()]
        ['ConfigureDistributedTPU']
        """
        started = initialize_system(job=self._system.job)
        return None if executing_eagerly() else [started]

    def finalize(self) -> list[Any] | None:
        """Stop the TPU system.

        In graph mode, return a list with the operation of `tf.tpu.shutdown_system`, to
        be run.  In eager mode the system stops at once.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> [operation.type for operation in strategy.finalize()]
        ['ShutdownDistributedTPU']
        """
        stopped = shutdown_system(job=self._system.job)
        return None if executing_eagerly() else [stopped]

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Write the cluster of the resolver into a session's configuration.

        The document does not define this.  As in the next release, it also isolates the
        variables of the session.  The other arguments are ignored: the resolver
        describes the cluster.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> config = tf.ConfigProto()
        >>> strategy.configure(session_config=config)
        >>> config.isolate_session_state
        True
        """
        if session_config is None:
            return
        argument = "TPUStrategy.configure: session_config"
        instance_of(ConfigProto, argument, "a tf.ConfigProto or None", session_config)
        session_config.isolate_session_state = True
        spec = self._resolver.cluster_spec()
        if spec is not None:
            session_config.cluster_def = spec.as_cluster_def()

    def __repr__(self) -> str:
        return f"<TPUStrategy of {self.num_towers} towers on {self.num_hosts} host(s)>"


def _check_num_cores(num_cores: Any) -> int:
    if not isinstance(num_cores, int) or isinstance(num_cores, bool):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "TPUStrategy: num_cores must be a whole number or None, got "
            f"{type(num_cores).__name__} {num_cores!r}"
        )
    if num_cores < 1:
        raise codes.REPLICAS_UNLIKE_CORES.value_error(
            f"TPUStrategy: num_cores must be at least 1, got {num_cores}; omit it "
            "to use all cores"
        )
    return num_cores
