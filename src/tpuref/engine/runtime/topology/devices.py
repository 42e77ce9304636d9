"""The devices of a host, as a session lists them."""

import os
from dataclasses import dataclass

from tpuref.engine.runtime.available_memory import total_bytes
from tpuref.engine.runtime.topology.topology import Topology


@dataclass(frozen=True)
class DeviceAttributes:
    """One device.

    `name` is its full name, such as ``/job:localhost/replica:0/task:0/device:TPU:0``.
    `device_type` is ``"CPU"`` or ``"TPU"``.  `memory_limit_bytes` is the memory that it
    can use at most.  `incarnation` is a number that changes whenever the device is
    started.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, "
            f"{self.memory_limit_bytes}, {self.incarnation})"
        )


def devices_of(
    job: str, topology: Topology, incarnation: int
) -> list[DeviceAttributes]:
    """Return the CPU and the cores of each task of a job, task by task.

    All hosts are this computer, and all cores share its memory.
    """
    memory = total_bytes()
    share = memory // topology.num_cores
    return [
        DeviceAttributes(
            f"/job:{job}/replica:0/task:{task}/device:{kind}:{index}",
            kind,
            memory if kind == "CPU" else share,
            incarnation,
        )
        for task in range(topology.num_tasks)
        for kind, count in (("CPU", 1), ("TPU", topology.num_tpus_per_task))
        for index in range(count)
    ]


def new_incarnation() -> int:
    """Return a random number that tells one start of a system from another."""
    return int.from_bytes(os.urandom(8), "little")
