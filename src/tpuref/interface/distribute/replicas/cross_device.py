"""Choices of cross-device communication, accepted without effect."""

import enum
from dataclasses import dataclass

from tpuref.base import error_codes as codes


class CrossDeviceOps:
    """The base class of reductions, accepted without effect."""


@dataclass
class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Accepted without effect: sums are computed in replica order."""

    num_packs: int = 1


@dataclass
class NcclAllReduce(CrossDeviceOps):
    """Accepted without effect: sums are computed in replica order."""

    num_packs: int = 1


@dataclass
class ReductionToOneDevice(CrossDeviceOps):
    """Accepted without effect: sums are computed in replica order."""

    reduce_to_device: str | None = None
    accumulation_fn: object = None


class CommunicationImplementation(enum.Enum):
    """Implementations of communication between workers, accepted without effect."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@dataclass
class CommunicationOptions:
    """Options of collective operations, accepted without effect."""

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO


@dataclass
class RunOptions:
    """Options of ``strategy.run``, accepted without effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class InputReplicationMode(enum.Enum):
    """How often the function of a dataset is called."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@dataclass
class InputOptions:
    """Options of distributed datasets, of which `experimental_replication_mode` counts.

    It raises ValueError for ``PER_REPLICA``: tpuref calls the function once.
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = (
        InputReplicationMode.PER_WORKER
    )
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1

    def __post_init__(self) -> None:
        """Check the mode."""
        if self.experimental_replication_mode != InputReplicationMode.PER_WORKER:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                "tf.distribute.InputOptions: experimental_replication_mode: expected "
                f"PER_WORKER, got {self.experimental_replication_mode!r}; take every "
                "n-th element of the dataset with shard instead"
            )
