"""Options of datasets, accepted without effect."""

from __future__ import annotations

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


@dataclass
class Options:
    """Options of a dataset, accepted without effect: order is always deterministic."""

    deterministic: bool | None = None
    experimental_deterministic: bool | None = None
    experimental_distribute: DistributeOptions = field(
        default_factory=DistributeOptions
    )
    experimental_threading: ThreadingOptions = field(default_factory=ThreadingOptions)
    threading: ThreadingOptions = field(default_factory=ThreadingOptions)
    experimental_optimization: Any = None
    experimental_slack: bool = False
    experimental_stats: Any = None
