"""The trace: a record for each operation, replica and core."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CoreTrace:
    """One operation that ran on one core.

    Attributes
    ----------
    operation
        The name of the operation.
    replica, logical_core
        The replica, and the virtual core within it.
    core, task
        The physical core, counted over the whole system, and its host.
    device
        The device name of the physical core.
    """

    operation: str
    replica: int
    logical_core: int
    core: int
    task: int
    device: str
