"""Strategies on TPU cores, on CPUs of the host, and on one device."""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.tpu import Replication
from tpuref.interface.cluster_resolver.distribute import TPUClusterResolver
from tpuref.interface.distribute.replicas.strategy import Strategy, refuse
from tpuref.interface.distribute.system_description import describe_system
from tpuref.interface.distribute.values import PerDevice
from tpuref.interface.tpu.device_assignment import DeviceAssignment
from tpuref.names.members import explain_missing_members

_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)
_HOST = "/job:localhost/replica:0/task:0"


@explain_missing_members("tf.distribute.TPUStrategy")
class TPUStrategy(Strategy):
    """Runs one replica on each core of a TPU system.

    `tpu_cluster_resolver` is the resolver of the system; None for that of this process.
    `experimental_device_assignment` are the cores to use, one for each replica; None
    for all.  `experimental_spmd_xla_partitioning` is accepted for compatibility.  It
    raises TypeError if `tpu_cluster_resolver` is not a resolver, and ValueError if the
    assignment has several cores for a replica.

    Examples
    --------
    >>> with tf.eager_execution(), tf.config.override(cores=4):
    ...     resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect("")
    ...     strategy = tf.distribute.TPUStrategy(resolver)
    ...     @tf.function
    ...     def number():
    ...         return tf.identity(
    ...             tf.distribute.get_replica_context().replica_id_in_sync_group)
    ...     int(strategy.reduce("SUM", strategy.run(number), axis=None))
    6
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        given = tpu_cluster_resolver
        self._resolver = TPUClusterResolver("local") if given is None else given
        described = describe_system(self._resolver)
        assignment = experimental_device_assignment
        if assignment is None:
            system = described.towers(described.cores)
            cores: Sequence[int] = range(described.cores)
        else:
            system, cores = _assigned_cores(assignment, described.job)
        super().__init__([described.core_device(k) for k in cores], system)

    @property
    def cluster_resolver(self) -> Any:
        """The resolver of the system."""
        return self._resolver

    def _run_replicas(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run with tensors as arguments and per-replica tensors as results."""
        inputs = nest.map_structure(_as_tensor, [list(args), kwargs])
        results = super()._run_replicas(fn, *inputs[0], **inputs[1])
        return nest.map_structure(self._per_replica, results)

    def _per_replica(self, leaf: Any) -> Any:
        tensor, names = _as_tensor(leaf), self.towers.names
        if len(names) == 1 or not isinstance(tensor, Tensor):
            return tensor
        return PerDevice(dict.fromkeys(names, tensor))


class ExperimentalTPUStrategy(TPUStrategy):
    """The earlier name of `TPUStrategy`, with ``device_assignment``."""

    def __init__(
        self, tpu_cluster_resolver: Any = None, device_assignment: Any = None
    ) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)


def _as_tensor(leaf: Any) -> Any:
    """Return a number or an array as a tensor, and other leaves unchanged."""
    return convert_to_tensor(leaf) if isinstance(leaf, _NUMBERS) else leaf


def _assigned_cores(
    assignment: Any, job: str | None
) -> tuple[Replication, Sequence[int]]:
    """Return the cores of an assignment, and their indices."""
    if not isinstance(assignment, DeviceAssignment):
        raise refuse(
            "TPUStrategy", "device_assignment", "a DeviceAssignment", assignment
        )
    if assignment.num_cores_per_replica != 1:
        raise refuse(
            "TPUStrategy",
            "device_assignment",
            "one with a single core for each replica",
            assignment.num_cores_per_replica,
        )
    coordinates = assignment.core_assignment
    topology = assignment.topology
    places = tuple((tuple(map(int, row[0])),) for row in coordinates)
    flat = topology.device_coordinates.reshape(topology.num_cores, -1).tolist()
    numbers = [flat.index(list(place[0])) for place in places]
    system = Replication(
        len(places), job=job, topology=topology.serialized(), assignment=places
    )
    return system, numbers


@explain_missing_members("tf.distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """Runs one replica for each of several devices of the host.

    `devices` are their names, such as ``["CPU:0", "CPU:1"]``; None for one CPU.  There
    may be any number of CPUs.  `cross_device_ops` is accepted for compatibility.  It
    raises ValueError if a device is not a CPU.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        given = ["CPU:0"] if devices is None else devices
        if not isinstance(given, (list, tuple)) or not given:
            raise refuse(type(self).__name__, "devices", "a list of devices", devices)
        super().__init__([_host_device(type(self).__name__, d) for d in given])


def _host_device(function: str, device: Any) -> str:
    wanted = DeviceName.parse(device) if isinstance(device, str) else DeviceName()
    if wanted.kind != "CPU":
        raise refuse(
            function,
            "a device",
            "a CPU such as 'CPU:0'; for cores of a TPU system use TPUStrategy",
            device,
        )
    return f"{_HOST}/device:CPU:{wanted.index or 0}"


class MultiWorkerMirroredStrategy(MirroredStrategy):
    """`MirroredStrategy` for several workers; tpuref supports one.

    The arguments are accepted for compatibility.  It raises NotImplementedError if
    ``TF_CONFIG`` names several workers.
    """

    def __init__(
        self,
        communication: Any = None,
        cluster_resolver: Any = None,
        communication_options: Any = None,
    ) -> None:
        cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        workers = len([*cluster.get("worker", ()), *cluster.get("chief", ())])
        if workers > 1:
            raise _one_worker("MultiWorkerMirroredStrategy", f"{workers} workers")
        super().__init__()


class ParameterServerStrategy:
    """Raises an error: parameter servers are not supported.

    Every call raises NotImplementedError; the message names the alternative.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _one_worker("ParameterServerStrategy", "parameter servers")


def _one_worker(function: str, wanted: str) -> NotImplementedError:
    return coded(
        NotImplementedError,
        f"{function}: {wanted} are not supported; tpuref runs one program, whose "
        "replicas are on the cores of tf.distribute.TPUStrategy",
        code=codes.INVALID_ARGUMENT,
    )


@explain_missing_members("tf.distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Runs one replica on one device: a CPU, or a core such as ``"TPU:0"``."""

    def __init__(self, device: str) -> None:
        if not isinstance(device, str):
            raise refuse("OneDeviceStrategy", "device", "a name", device)
        wanted = DeviceName.parse(device)
        if wanted.kind != "TPU":
            super().__init__([_host_device("OneDeviceStrategy", device)])
            return
        described = describe_system(TPUClusterResolver("local"))
        core = wanted.index or 0
        if core >= described.cores:
            cores = f"one of {described.cores} cores"
            raise refuse("OneDeviceStrategy", "device", cores, device)
        every = described.towers(described.cores)
        topology = described.topology
        if topology is None:
            super().__init__([described.core_device(core)], every)
            return
        row = topology.device_coordinates.reshape(described.cores, -1)[core]
        place = ((tuple(map(int, row)),),)
        system = Replication(
            1, job=described.job, topology=topology.serialized(), assignment=place
        )
        super().__init__([described.core_device(core)], system)
