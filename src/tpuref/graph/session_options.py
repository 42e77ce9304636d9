"""What a session and its runs can be told, and what they tell in return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tpuref.runtime.trace import CoreTrace


@dataclass
class ConfigProto:
    """Options of a session.

    Attributes
    ----------
    cluster_def
        The jobs of the cluster, as `tf.train.ClusterSpec.as_cluster_def` gives them.
    allow_soft_placement
        Whether operations on unknown devices run on the host's CPU.
    log_device_placement
        Accepted for programs that set it; it has no effect here.
    """

    cluster_def: Any = None
    allow_soft_placement: bool = False
    log_device_placement: bool = False


@dataclass
class RunOptions:
    """Options of one run.

    Attributes
    ----------
    trace_level
        `NO_TRACE`, or `FULL_TRACE` to learn what ran on which core.
    """

    NO_TRACE: ClassVar[int] = 0
    SOFTWARE_TRACE: ClassVar[int] = 1
    HARDWARE_TRACE: ClassVar[int] = 2
    FULL_TRACE: ClassVar[int] = 3

    trace_level: int = 0


class RunMetadata:
    """What one run has to tell.

    Attributes
    ----------
    core_trace
        What ran on which core, where the run was traced: a tuple of records with
        ``operation``, ``replica``, ``logical_core``, ``core``, ``task``, ``device``.
    """

    def __init__(self) -> None:
        self.core_trace: tuple[CoreTrace, ...] = ()
