"""The split: the assignment of cores to the processes of the pool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tpuref.base.processors import processors
from tpuref.engine.configuration import config

Placement = tuple[tuple[int, ...], ...]
"""The physical cores of a run, by replica and logical core."""


class Split(NamedTuple):
    """Cores in contiguous blocks, one for each process; the attributes are counts."""

    cores: int
    processes: int

    @classmethod
    def configured(cls, cores: int) -> Split:
        """Return the split of ``tf.config.processes``."""
        wanted = config.processes
        if wanted is None:
            wanted = processors()
        return cls(cores, cores if wanted == "cores" else min(wanted, cores))

    @property
    def together(self) -> Split:
        """The split of a run in which the first process carries all cores."""
        return Split(self.cores, 1)

    def carried(self, process: int) -> range:
        """Return the cores that a process carries."""
        first = process * self.cores // self.processes
        return range(first, (process + 1) * self.cores // self.processes)

    def carrier(self, core: int) -> int:
        """Return the process that carries a core."""
        return ((core + 1) * self.processes - 1) // self.cores


class LocalCore(NamedTuple):
    """A core of a process in one run: its number, its replica and logical core."""

    core: int
    replica: int
    logical: int


class LocalCores(list[LocalCore]):
    """The cores of a process in one run, in ascending order.

    `leading` are the places of the first cores of replicas, which return the results;
    `leaders` are their replicas.
    """

    def __init__(self, local_cores: Iterable[LocalCore]) -> None:
        super().__init__(local_cores)
        self.replicas = list(dict.fromkeys(local.replica for local in self))
        self.leading = [p for p, local in enumerate(self) if local.logical == 0]
        self.leaders = [self[place].replica for place in self.leading]


def local_cores_of(split: Split, placement: Placement) -> dict[int, LocalCores]:
    """Return the local_cores of each process in a run."""
    local_cores: dict[int, list[LocalCore]] = {}
    for replica, cores in enumerate(placement):
        for logical, core in enumerate(cores):
            local = LocalCore(core, replica, logical)
            local_cores.setdefault(split.carrier(core), []).append(local)
    return {process: LocalCores(sorted(own)) for process, own in local_cores.items()}


def named(cores: range) -> str:
    """Return the name of a block of cores, for messages."""
    if len(cores) == 1:
        return f"core {cores[0]}"
    return f"cores {cores[0]}-{cores[-1]}"
