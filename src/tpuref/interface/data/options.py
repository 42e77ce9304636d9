"""Options of datasets, accepted without effect."""

import enum
from dataclasses import dataclass, field
from typing import Any


class AutoShardPolicy(enum.Enum):
    """The ways in which TensorFlow divides a dataset among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@dataclass
class DistributeOptions:
    """Options of the division among workers, accepted without effect."""

    auto_shard: bool = True
    auto_shard_policy: AutoShardPolicy = AutoShardPolicy.AUTO
    num_devices: int | None = None


@dataclass
class ThreadingOptions:
    """Options of threads, accepted without effect."""

    max_intra_op_parallelism: int | None = None
    private_threadpool_size: int | None = None


class ExternalStatePolicy(enum.Enum):
    """What TensorFlow does about state outside of a dataset that is serialized."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


@dataclass
class OptimizationOptions:
    """Options of TensorFlow's rewriting of pipelines, accepted without effect."""

    apply_default_optimizations: bool | None = None
    filter_fusion: bool | None = None
    filter_parallelization: bool | None = None
    inject_prefetch: bool | None = None
    map_and_batch_fusion: bool | None = None
    map_and_filter_fusion: bool | None = None
    map_fusion: bool | None = None
    map_parallelization: bool | None = None
    noop_elimination: bool | None = None
    parallel_batch: bool | None = None
    seq_interleave_prefetch: bool | None = None
    shuffle_and_repeat_fusion: bool | None = None


@dataclass
class AutotuneOptions:
    """Options of TensorFlow's choice of parallelism, accepted without effect."""

    enabled: bool | None = None
    cpu_budget: int | None = None
    ram_budget: int | None = None


@dataclass
class Options:
    """Options of a dataset, accepted without effect: order is always deterministic."""

    autotune: AutotuneOptions = field(default_factory=AutotuneOptions)
    deterministic: bool | None = None
    experimental_deterministic: bool | None = None
    experimental_distribute: DistributeOptions = field(
        default_factory=DistributeOptions
    )
    experimental_threading: ThreadingOptions = field(default_factory=ThreadingOptions)
    threading: ThreadingOptions = field(default_factory=ThreadingOptions)
    experimental_optimization: OptimizationOptions = field(
        default_factory=OptimizationOptions
    )
    experimental_external_state_policy: ExternalStatePolicy | None = None
    experimental_slack: bool = False
    experimental_stats: Any = None
