"""Describe the TPU system to a TPUEstimator and to the functions of its user."""

from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.session import Session
from tpuref.engine.ops.feeds import CORES_PER_HOST
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.estimator.mode_keys import ModeKeys
from tpuref.interface.estimator.tpu_config import InputPipelineConfig, TPUConfig
from tpuref.interface.tpu.device_assignment import DeviceAssignment, device_assignment
from tpuref.interface.tpu.system import initialize_system

_SHAPES = {1: [1, 1, 1], 2: [1, 1, 2], 4: [1, 2, 2], 8: [2, 2, 2], 16: [4, 2, 2]}


@dataclass(frozen=True)
class Replicas:
    """The replicas of a system, and the hosts that feed them.

    `cores_each` counts the cores of a replica; `assignment` is None if it is 1.
    """

    count: int
    cores_each: int = 1
    assignment: DeviceAssignment | None = None

    @property
    def per_host(self) -> int:
        """The number of replicas that one host feeds."""
        return min(self.count, max(1, CORES_PER_HOST // self.cores_each))

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return -(-self.count // self.per_host)

    def outfeed_of(self, replica: int) -> tuple[int, int]:
        """Return (task, ordinal on its host) of the core that sends for a replica."""
        if self.assignment is None:
            return divmod(replica, CORES_PER_HOST)
        ordinal = self.assignment.tpu_ordinal(replica)
        task = self.assignment.host_device(replica).partition("/task:")[2]
        return int(task.partition("/")[0] or 0), ordinal


def replicas_of(config: TPUConfig, master: str, session_config: Any) -> Replicas:
    """Return the replicas of the system at `master`."""
    with Graph().as_default(), Session(master, config=session_config) as session:
        cores = sum(device.device_type == "TPU" for device in session.list_devices())
        each = config.num_cores_per_replica or 1
        count = config.num_shards or cores // each
        if count < 1 or count * each > max(cores, each):
            raise codes.INVALID_ARGUMENT.value_error(
                f"TPUConfig.num_shards is not set correctly: {config.num_shards} "
                f"replicas of {each} cores, but the system at {master!r} has {cores} "
                "cores; omit num_shards, or set tf.config.cores"
            )
        if each == 1:
            return Replicas(count)
        topology = Topology(serialized=session.run(initialize_system()))
    shape = _SHAPES.get(each, [each // 8, 4, 2])
    return Replicas(count, each, device_assignment(topology, shape, num_replicas=count))


class TPUContext:
    """The TPU system and the input pipeline, in ``params["context"]``."""

    def __init__(
        self, replicas: Replicas, mode: int, invocation: int | None = None
    ) -> None:
        self._replicas, self._mode, self._invocation = replicas, mode, invocation

    @property
    def num_replicas(self) -> int:
        """The number of replicas."""
        return self._replicas.count

    @property
    def num_cores(self) -> int:
        """The number of cores."""
        return self._replicas.count * self._replicas.cores_each

    @property
    def num_hosts(self) -> int:
        """The number of hosts."""
        return self._replicas.hosts

    @property
    def num_of_replicas_per_host(self) -> int:
        """The number of replicas that a host feeds."""
        return self._replicas.per_host

    @property
    def current_host(self) -> int:
        """The host whose input is being built."""
        return self.current_input_fn_deployment()[1]

    @property
    def device_assignment(self) -> DeviceAssignment | None:
        """The cores of each replica; None if each has one."""
        return self._replicas.assignment

    def current_input_fn_deployment(self) -> tuple[Any, int, int, int]:
        """Return the place of this call of an input function.

        The results are the device of its operations, the index of this call, the call
        count, and the number of replicas that it feeds.  It raises RuntimeError in a
        model function.
        """
        if self._invocation is None:
            raise RuntimeError(
                "TPUContext.current_input_fn_deployment: this context is that of a "
                "model function; use params['context'] of an input function"
            )
        replicas, mode = self._replicas, self._mode
        calls = calls_of(mode, replicas)
        device = f"/replica:0/task:{self._invocation % replicas.hosts}/device:CPU:0"
        return device, self._invocation, calls, replicas.count // calls


def calls_of(mode: int, replicas: Replicas) -> int:
    """Return the number of calls of an input function."""
    if mode == InputPipelineConfig.PER_SHARD_V1:
        return replicas.count
    if mode in (InputPipelineConfig.BROADCAST, InputPipelineConfig.SLICED):
        return 1
    return replicas.hosts


def input_mode(config: TPUConfig, mode: str) -> int:
    """Return the input pipeline of a mode: PER_SHARD_V1 applies to training only."""
    chosen = config.per_host_input_for_training
    if chosen == InputPipelineConfig.PER_SHARD_V1 and mode != ModeKeys.TRAIN:
        return InputPipelineConfig.PER_HOST_V1
    return chosen


def batch_of_call(mode: int, replicas: Replicas, batch: int) -> int:
    """Return the batch size for a call of an input function."""
    if mode in (InputPipelineConfig.BROADCAST, InputPipelineConfig.SLICED):
        return batch
    if mode == InputPipelineConfig.PER_HOST_V1:
        return batch // replicas.hosts
    return batch // replicas.count


def batch_of_replica(mode: int, replicas: Replicas, batch: int) -> int:
    """Return the batch size for a model function."""
    return batch if mode == InputPipelineConfig.BROADCAST else batch // replicas.count
