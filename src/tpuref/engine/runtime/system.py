"""The TPU system of each job: started, running, shut down."""

import atexit
import contextlib
import functools
import math
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.engine.configuration import config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.executor import STARTS, Executor, Lockstep, available
from tpuref.engine.runtime.hosts import here
from tpuref.engine.runtime.log import logger
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.replication import Placement, replicate, replicate_on_host
from tpuref.engine.runtime.topology.devices import (
    DeviceAttributes,
    devices_of,
    new_incarnation,
)
from tpuref.engine.runtime.topology.topology import Topology

LOCAL_JOB = "localhost"
DEFAULT_MESH = (2, 2, 2)

KEPT_PLACEMENTS = 256
"""The number of replicated computations that keep their placement."""

_LOG = logger("system")


def configured_topology() -> Topology | None:
    """Return the topology of the settings, None if they set none."""
    return _topology_of(config.topology, config.cores, here.count())


@functools.cache
def _topology_of(mesh: str | None, cores: int | None, hosts: int) -> Topology | None:
    if mesh is not None:
        topology = Topology.for_mesh(*Topology.parse_mesh(mesh))
    elif cores is not None:
        topology = Topology.for_cores(cores)
    else:
        return None
    return _deal(topology, hosts)


def _deal(topology: Topology, hosts: int) -> Topology:
    """Return the topology with each host as a task, if there are several."""
    return topology if hosts == 1 else topology.dealt_to(hosts)


def _default_topology() -> Topology:
    """Return eight cores for each host."""
    hosts = here.count()
    return _deal(Topology.for_cores(math.prod(DEFAULT_MESH) * hosts), hosts)


def _topology_for(cores: int) -> Topology:
    """Return a topology with that many cores, rounded up to equal hosts."""
    hosts = here.count()
    return _deal(Topology.for_cores(math.ceil(cores / hosts) * hosts), hosts)


@functools.lru_cache(64)
def _parse(serialized: bytes) -> Topology:
    return Topology(serialized=serialized)


class System:
    """The TPU system of one job.

    ``initialize_system`` starts it, or the first evaluation, with the cores that its
    computation needs.  After ``shutdown_system`` only
    ``initialize_system`` starts it again.
    """

    def __init__(self, job: str) -> None:
        self.job = job
        self._topology: Topology | None = None
        self._executor: Executor = Lockstep()
        self._kind = ""
        self._explicit = False
        self._stopped: CallSite | None = None
        self._lock = threading.Lock()
        self.incarnation = new_incarnation()

    @property
    def topology(self) -> Topology | None:
        """The topology, None while the system is not running."""
        return self._topology

    @property
    def known_topology(self) -> Topology:
        """The topology that applies: running, configured, or the default."""
        if self._explicit and self._topology is not None:
            return self._topology
        return configured_topology() or _default_topology()

    def initialize(self, keep_sound: bool = False) -> Topology:
        """Start the system, or start it again.

        With `keep_sound`, keep an executor of that size that is ready for a run.
        """
        with self._lock:
            wanted = configured_topology() or _default_topology()
            if not (keep_sound and self._executor.is_sound()):
                self._stop()
            self._explicit = False
            self._start(wanted)
            self._explicit, self._stopped = True, None
            return wanted

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array for an input, in memory that the replicas read."""
        return self._executor.empty(shape, dtype)

    def stacks(self) -> str:
        """Describe where each core is during a run of another thread."""
        return self._executor.stacks()

    def shutdown(self, site: CallSite) -> None:
        """Stop the system until it is initialised again."""
        with self._lock:
            self._stop()
            self._stopped = site

    def close(self) -> None:
        """Stop the system; unlike after `shutdown`, an evaluation starts it again."""
        with self._lock:
            self._stop()

    def _start(self, topology: Topology) -> None:
        """Start the executor, unless one of this kind and size runs."""
        kind = available(config.executor)
        running = 0 if self._topology is None else self._topology.num_cores
        if running == topology.num_cores and self._kind == kind:
            self._topology = topology
            return
        self._executor.retire()
        self._executor, self._topology, self._kind = Lockstep(), None, ""
        self._executor = STARTS[kind](topology.num_cores)
        self._topology, self._kind = topology, kind
        self.incarnation = new_incarnation()
        _LOG.info(
            "the TPU system of job %r runs: mesh %s, %d cores, executor %s",
            self.job,
            "x".join(map(str, topology.mesh_shape)),
            topology.num_cores,
            self._kind,
        )

    def _stop(self) -> None:
        if self._topology is not None:
            _LOG.info("the TPU system of job %r stops", self.job)
        self._executor.close()
        self._executor, self._topology, self._kind = Lockstep(), None, ""
        self._explicit = False

    def acquire(
        self, cores: int, assigned: Topology | None
    ) -> tuple[Topology, Executor, bool]:
        """Return the topology, the executor, and whether the user fixed their size.

        A system of open size is started, or grown, to `cores`.
        """
        with self._lock:
            if self._stopped is not None:
                raise FailedPreconditionError(
                    "the TPU system is not initialised: it was shut down at "
                    f"{self._stopped}. Run tf.tpu.initialize_system() again first",
                    code=codes.SYSTEM_SHUT_DOWN,
                )
            fixed = self._explicit or assigned is not None
            if not self._explicit:
                wanted = configured_topology()
                fixed = fixed or wanted is not None
                self._start(wanted or self._topology_of_at_least(cores, assigned))
            assert self._topology is not None
            return self._topology, self._executor, fixed

    def _topology_of_at_least(self, cores: int, assigned: Topology | None) -> Topology:
        if assigned is not None:
            return assigned
        if self._topology is None or self._topology.num_cores < cores:
            return _topology_for(cores)
        return self._topology


class Cluster:
    """The jobs that a session sees, each with a TPU system of its own."""

    def __init__(self, jobs: Sequence[str]) -> None:
        self._systems = {job: System(job) for job in jobs}
        # An instruction that is held keeps its id to itself.
        self._placements: dict[int, tuple[Instr, bool, Placement]] = {}

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""
        return self._systems.keys()

    def replicate(self, instr: Instr, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run a replicated computation and return the outputs of all replicas."""
        if instr.attrs["on_host"]:
            return replicate_on_host(instr, inputs, run)
        system = self._running(instr)
        wanted = instr.attrs["topology"]
        topology, executor, fixed = system.acquire(
            instr.attrs["replicas"], None if wanted is None else _parse(wanted)
        )
        placement = self._placement(instr, topology, fixed, system.job)
        with here.step():
            return replicate(instr, inputs, placement, executor, run)

    def _placement(
        self, instr: Instr, topology: Topology, fixed: bool, job: str
    ) -> Placement:
        """Return the placement of a computation, from an earlier run if unchanged."""
        known = self._placements.get(id(instr))
        if known is not None:
            _, so_fixed, placement = known
            same = placement.topology is topology and placement.job == job
            if same and so_fixed == fixed:
                return placement
        placement = Placement.decide(instr, topology, fixed, job)
        if len(self._placements) >= KEPT_PLACEMENTS:
            self._placements.clear()
        self._placements[id(instr)] = instr, fixed, placement
        return placement

    def initialize(self, instr: Instr) -> bytes:
        """Start the system of the job and return its serialized topology."""
        return (
            self._system_of(instr, "tf.tpu.initialize_system").initialize().serialized()
        )

    def shutdown(self, instr: Instr) -> None:
        """Stop the system of the job."""
        self._system_of(instr, "tf.tpu.shutdown_system").shutdown(instr.site)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array for an input, in memory that the replicas read.

        With several jobs, the one that reads it is not decided yet.
        """
        if len(self._systems) > 1:
            return np.empty(shape, dtype)
        (system,) = self._systems.values()
        return system.empty(shape, dtype)

    def known_topology(self, job: str) -> Topology:
        """Return the topology of a job: running, configured, or the default."""
        return self._systems[job].known_topology

    def reset(self) -> None:
        """Stop and forget all systems, as if the process had just started."""
        for system in self._systems.values():
            system.close()
        self._systems = {job: System(job) for job in self._systems}

    @contextlib.contextmanager
    def with_system(self, system: System) -> Iterator[None]:
        """Use `system` for its job within a ``with`` block."""
        before = self._systems[system.job]
        self._systems[system.job] = system
        try:
            yield
        finally:
            self._systems[system.job] = before

    def devices(self) -> list[DeviceAttributes]:
        """Return the CPUs and the cores of the hosts.

        For a system that does not run, the cores with which it would start.
        """
        return [
            device
            for job, system in self._systems.items()
            for device in devices_of(
                job, system.topology or system.known_topology, system.incarnation
            )
        ]

    def _system_of(self, instr: Instr, function: str) -> System:
        job = instr.attrs["job"]
        if job is None and len(self._systems) > 1:
            raise InvalidArgumentError(
                f"{function}: job is None, but the cluster has the jobs "
                f"{sorted(self._systems)}; give job= one of them",
                code=codes.INVALID_CLUSTER,
            )
        if job is not None and job not in self._systems:
            raise InvalidArgumentError(
                f"{function}: the cluster has no job {job!r}; its jobs are "
                f"{sorted(self._systems)}",
                code=codes.INVALID_CLUSTER,
            )
        return self._systems[job or next(iter(self._systems))]

    def _running(self, instr: Instr) -> System:
        """Return the system of the computation's job, else the one that is running."""
        if instr.attrs["job"] is not None or len(self._systems) == 1:
            return self._system_of(instr, "tf.tpu.replicate")
        running = [s for s in self._systems.values() if s.topology is not None]
        if len(running) != 1:
            raise InvalidArgumentError(
                f"tf.tpu.replicate: the cluster has the jobs {sorted(self._systems)}, "
                f"of which {len(running)} run a TPU system; initialise one with "
                "tf.tpu.initialize_system(job=...), or build the computation under "
                "tf.device('/job:...')",
                code=codes.INVALID_CLUSTER,
            )
        return running[0]


LOCAL = Cluster([LOCAL_JOB])
"""The one job of this process. Operations, and `reset` at exit, change its system."""

atexit.register(LOCAL.reset)


def connect(cluster_def: Any) -> Cluster:
    """Return the cluster that a session sees; None means this process alone."""
    if cluster_def is None:
        return LOCAL
    return Cluster([job.name for job in cluster_def.job])
