"""Describe the TPU system of a strategy: hosts, cores, device names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.cluster_resolver.devices import core_counts, list_devices

WORKER = "tpu_worker"
"""The job of the cores if a resolver names none."""


@dataclass(frozen=True)
class SystemDescription:
    """The hosts and cores of a TPU system."""

    # The job of the hosts; None for this process.
    job: str | None
    # The number of hosts, and of cores of each
    hosts: int
    cores_per_host: int
    # The topology, if the system is local
    topology: Topology | None = None

    @property
    def cores(self) -> int:
        """The number of cores."""
        return self.hosts * self.cores_per_host

    def towers(self, count: int) -> Replication:
        """Return the system of the first `count` cores, one for each tower.

        The topology of a remote system is unknown before it runs; the default one of
        its size is assumed.
        """
        if count == self.cores:
            return Replication(count, job=self.job)
        topology = self.topology or Topology.for_cores(self.cores)
        coordinates = topology.device_coordinates.reshape(self.cores, -1)
        assignment = tuple((tuple(map(int, row)),) for row in coordinates[:count])
        return Replication(
            count, assignment=assignment, topology=topology.serialized(), job=self.job
        )

    def core_device(self, core: int) -> str:
        """Return the device name of a core."""
        host, ordinal = divmod(core, self.cores_per_host)
        return f"{self._prefix(host)}/device:TPU:{ordinal}"

    def cpu_device(self, host: int) -> str:
        """Return the device name of the CPU of a host."""
        return f"{self._prefix(host)}/device:CPU:0"

    def _prefix(self, host: int) -> str:
        if self.job is None:
            return f"/replica:0/task:{host}"
        return f"/job:{self.job}/task:{host}"


def describe_system(resolver: Any) -> SystemDescription:
    """Return the system of a resolver.

    `resolver` needs ``master()`` and ``cluster_spec()``; without ``get_job_name()`` and
    ``num_accelerators()``, the master lists its devices.  It raises ValueError if there
    are no TPU cores, or hosts differ in their number.
    """
    for method in ("master", "cluster_spec"):
        if not callable(getattr(resolver, method, None)):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                "TPUStrategy: tpu_cluster_resolver must be a tf.contrib."
                f"cluster_resolver.TPUClusterResolver (with {method}()), got "
                f"{type(resolver).__name__} {resolver!r}"
            )
    master = resolver.master()
    master = master.decode() if isinstance(master, bytes) else master
    if master in ("", "local"):
        topology = LOCAL.known_topology(LOCAL_JOB)
        return SystemDescription(
            None, topology.num_tasks, topology.num_tpus_per_task, topology
        )
    spec, job = resolver.cluster_spec(), _job(resolver)
    ask = getattr(resolver, "num_accelerators", None)
    if spec is None or not callable(ask):
        return _system_of_devices(master, job)
    return SystemDescription(job, len(_tasks(spec, job)), _count(ask(), master))


def _job(resolver: Any) -> str:
    named = getattr(resolver, "get_job_name", None)
    return (named() if callable(named) else None) or WORKER


def _tasks(spec: Any, job: str) -> list[str]:
    jobs: dict[str, list[str]] = spec.as_dict()
    return list(jobs.get(job) or next(iter(jobs.values()), []))


def _count(answer: Any, master: str) -> int:
    """Return the cores of one host from a number or, as in releases, a dict by type."""
    count = answer.get("TPU", 0) if isinstance(answer, Mapping) else answer
    if count < 1:
        raise codes.REPLICAS_UNLIKE_CORES.value_error(
            f"TPUStrategy: the master {master!r} has no TPU cores"
        )
    return int(count)


def _system_of_devices(master: str, job: str) -> SystemDescription:
    """Return the system of the devices that a master lists."""
    hosts = core_counts(list_devices(master, None))
    counts = set(hosts.values())
    if len(counts) > 1:
        raise codes.UNEVEN_SHARDS.value_error(
            f"TPUStrategy: the hosts of {master!r} have different numbers of TPU "
            f"cores: {dict(hosts)}"
        )
    cores = _count(next(iter(counts), 0), master)
    named = DeviceName.parse(next(iter(hosts))).job
    return SystemDescription(named or job, len(hosts), cores)
