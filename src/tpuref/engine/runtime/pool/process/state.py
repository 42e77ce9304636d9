"""The variables and random draws of replicas during a run on a process."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from tpuref.base.errors import FailedPreconditionError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.meaning.device_queues import DeviceQueues
from tpuref.engine.runtime.meaning.infeed import Infeed
from tpuref.engine.runtime.meaning.state import stream, uninitialized


@dataclass
class CoreState:
    """The random draws of some replicas."""

    entropy: int  # the seed of the session for operations without one
    # the number of earlier evaluations of random operations, by replica
    draws: dict[int, dict[str, int]]

    def generator(
        self, operation: str, replica: int, seed: tuple[int | None, int | None]
    ) -> np.random.Generator:
        """Return the random generator for the next evaluation of an operation."""
        draw = self.draws[replica].get(operation, 0)
        self.draws[replica][operation] = draw + 1
        return stream(operation, replica, draw, seed, self.entropy)

    def infeed(self, name: str) -> Infeed:
        """Refuse, as the queues are on the host."""
        raise FailedPreconditionError(f"the infeed {name!r} is on the host")

    def device_queues(self, name: str) -> DeviceQueues:
        """Refuse, as the queues are on the host."""
        raise FailedPreconditionError(f"the {name} is on the host")

    def end_waits(self, names: Collection[str], failure: str) -> None:
        """Do nothing, as the threads that wait are on the host."""


class CoreVariables:
    """One replica's view of the variables during a run.

    `handles` has the handles of the replica's own components, by their common handle.
    """

    def __init__(self, before: Mapping[str, Array], handles: Mapping[str, str]) -> None:
        self._before = before
        self._handles = handles
        self.written: dict[str, Array] = {}

    def read(self, handle: str) -> Array:
        """Return the value that this replica wrote, or that from before the run."""
        handle = self._handles.get(handle, handle)
        if handle in self.written:
            return self.written[handle]
        if handle in self._before:
            return self._before[handle]
        raise FailedPreconditionError(uninitialized(handle))

    def write(self, handle: str, value: Array) -> None:
        """Give the variable a new value for this replica."""
        handle = self._handles.get(handle, handle)
        self.written[handle] = value

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""
        handle = self._handles.get(handle, handle)
        return handle in self.written or handle in self._before
