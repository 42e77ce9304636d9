"""Choices of cross-device communication, accepted without effect."""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = [
    "CommunicationImplementation",
    "CommunicationOptions",
    "CrossDeviceOps",
    "HierarchicalCopyAllReduce",
    "NcclAllReduce",
    "ReductionToOneDevice",
    "RunOptions",
]


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
