"""The trace: a record for each operation, replica and core."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CoreTrace:
    """One operation that ran on one core."""

    # The name of the operation
    operation: str
    # The replica, and the virtual core within it
    replica: int
    logical_core: int
    # The physical core, counted over the whole system, and its host
    core: int
    task: int
    # The device name of the physical core
    device: str
