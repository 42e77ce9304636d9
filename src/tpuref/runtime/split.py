"""Which process of the pool carries which cores."""

from __future__ import annotations

from typing import NamedTuple

from tpuref.base.processors import processors
from tpuref.configuration import config


class Split(NamedTuple):
    """Cores in contiguous blocks, one for each process.

    Attributes
    ----------
    cores, processes
        How many there are.
    """

    cores: int
    processes: int

    @classmethod
    def configured(cls, cores: int) -> Split:
        """Return the split that ``tf.config.processes`` asks for."""
        wanted = config.processes
        if wanted is None:
            wanted = processors()
        return cls(cores, cores if wanted == "cores" else min(wanted, cores))

    def carried(self, process: int) -> range:
        """Return the cores that a process carries."""
        first = process * self.cores // self.processes
        return range(first, (process + 1) * self.cores // self.processes)

    def carrier(self, core: int) -> int:
        """Return the process that carries a core."""
        return ((core + 1) * self.processes - 1) // self.cores


class Lane(NamedTuple):
    """A core that a process carries, in one run.

    Attributes
    ----------
    core
        Its number.
    replica, logical
        What it is in the run.
    """

    core: int
    replica: int
    logical: int


def named(cores: range) -> str:
    """Return what a block of cores is called."""
    if len(cores) == 1:
        return f"core {cores[0]}"
    return f"cores {cores[0]}-{cores[-1]}"
