"""Configure how a TPUEstimator uses the cores."""

from __future__ import annotations

from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, integer, wrong_type
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.interface.estimator.run_config import RunConfig as _RunConfig


class InputPipelineConfig:
    """Ways to distribute the batches of input functions over the cores.

    ===============  ===================================================  ============
    mode             calls, and the replicas that get their batches       batch_size
    ===============  ===================================================  ============
    `PER_SHARD_V1`   one for each replica, in training                    of a replica
    `PER_HOST_V1`    one for each host; batches are split                 of a host
    `PER_HOST_V2`    one for each host; replicas take batches in turn     of a replica
    `BROADCAST`      one; all replicas take the same batch                the whole
    `SLICED`         one; every replica takes its slice of the batch      the whole
    ===============  ===================================================  ============
    """

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class _TPUFields(NamedTuple):
    iterations_per_loop: int
    num_shards: int | None
    num_cores_per_replica: int | None
    per_host_input_for_training: int
    tpu_job_name: str | None
    initial_infeed_sleep_secs: int | None
    input_partition_dims: Any
    eval_training_input_configuration: int
    experimental_host_call_every_n_steps: int


class TPUConfig(_TPUFields):
    """Configures how a `TPUEstimator` uses the cores.

    It is ``tf.contrib.tpu.TPUConfig`` of releases 1.11 to 1.15.  It raises ValueError
    if a number is out of range.

    Parameters
    ----------
    iterations_per_loop
        The number of steps on the cores between two returns to the host.
    num_shards
        The number of replicas; by default as many as the system has cores for.
    num_cores_per_replica
        The cores of each replica, for operations under ``tf.device(tf.tpu.core(k))``.
    per_host_input_for_training
        One of `InputPipelineConfig`; True is PER_HOST_V1, False PER_SHARD_V1.
    input_partition_dims
        Must be None: the cores of a replica share its input.
    experimental_host_call_every_n_steps
        The number of steps between two host calls.
    """

    def __new__(
        cls,
        iterations_per_loop: int = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: Any = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: int | None = None,
        input_partition_dims: Any = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        """Check the numbers."""
        check_count("TPUConfig: iterations_per_loop", iterations_per_loop)
        check_count(
            "TPUConfig: experimental_host_call_every_n_steps",
            experimental_host_call_every_n_steps,
        )
        if num_shards is not None:
            check_count("TPUConfig: num_shards", num_shards)
        if num_cores_per_replica not in (None, 1, 2, 4, 8, 16, 32, 64, 128):
            raise invalid(
                "TPUConfig: num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; "
                f"got {num_cores_per_replica}"
            )
        if input_partition_dims is not None:
            raise invalid(
                "TPUConfig: input_partition_dims is not supported; the cores of a "
                "replica share its input"
            )
        mode = per_host_input_for_training
        if isinstance(mode, bool):
            per_host = InputPipelineConfig.PER_HOST_V1
            mode = per_host if mode else InputPipelineConfig.PER_SHARD_V1
        if mode not in range(1, 6):
            raise invalid(
                "TPUConfig: per_host_input_for_training must be one of "
                f"InputPipelineConfig, True or False; got {mode!r}"
            )
        return super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            mode,
            tpu_job_name,
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )


class RunConfig(_RunConfig):
    """Configures a `TPUEstimator`.

    It is ``tf.contrib.tpu.RunConfig`` of releases 1.11 to 1.15.  `tpu_config` is a
    `TPUConfig`.  `evaluation_master` and `master` are the systems that evaluate and
    train; ``""`` is this process.  `cluster` is a cluster resolver, whose ``master()``
    is used.  Other parameters are those of `tf.estimator.RunConfig`.  It raises
    ValueError if both `master` and `cluster` are set.

    Examples
    --------
    >>> tpu = tf.contrib.tpu
    >>> config = tpu.RunConfig(tpu_config=tpu.TPUConfig(iterations_per_loop=50))
    >>> config.tpu_config.iterations_per_loop
    50
    """

    replaceable = (*_RunConfig.replaceable, "tpu_config")

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: Any = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if master is not None and cluster is not None:
            raise invalid("RunConfig: Both master and cluster are set; pass one")
        self.tpu_config = instance_of(
            TPUConfig,
            "tf.contrib.tpu.RunConfig: tpu_config",
            "a tf.contrib.tpu.TPUConfig",
            TPUConfig() if tpu_config is None else tpu_config,
        )
        self.cluster = cluster
        if cluster is not None:
            if not callable(getattr(cluster, "master", None)):
                argument = "tf.contrib.tpu.RunConfig: cluster"
                raise wrong_type(argument, "a cluster resolver or None", cluster)
            master = cluster.master()
            self.cluster_spec = cluster.cluster_spec()
        self.master = "" if master is None else master
        self.evaluation_master = (
            self.master if evaluation_master is None else evaluation_master
        )
        if self.cluster_spec is not None and self.session_config is None:
            definition = self.cluster_spec.as_cluster_def()
            self.session_config = ConfigProto(
                allow_soft_placement=True, cluster_def=definition
            )


def check_count(argument: str, value: Any) -> None:
    """Raise an error unless the value is a positive integer."""
    if isinstance(value, bool) or integer(f"tf.contrib.tpu.{argument}", value) < 1:
        raise invalid(f"{argument} must be positive, got {value!r}")


def invalid(why: str) -> Exception:
    """Return an error for a wrong configuration."""
    return codes.INVALID_ARGUMENT.value_error(f"tf.contrib.tpu.{why}")
