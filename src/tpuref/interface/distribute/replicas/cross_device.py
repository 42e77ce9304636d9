"""Choices of how values cross devices, which programs make and which change nothing."""

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
    """How values are combined; accepted for programs that choose."""


@dataclass
class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Accepted for programs that choose it; sums are formed in replica order."""

    num_packs: int = 1


@dataclass
class NcclAllReduce(CrossDeviceOps):
    """Accepted for programs that choose it; sums are formed in replica order."""

    num_packs: int = 1


@dataclass
class ReductionToOneDevice(CrossDeviceOps):
    """Accepted for programs that choose it; sums are formed in replica order."""

    reduce_to_device: str | None = None
    accumulation_fn: object = None


class CommunicationImplementation(enum.Enum):
    """What workers communicate with, accepted for programs that choose."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@dataclass
class CommunicationOptions:
    """Options of collective operations, accepted for programs that set them."""

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO


@dataclass
class RunOptions:
    """Options of ``strategy.run``, accepted for programs that set them."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None
