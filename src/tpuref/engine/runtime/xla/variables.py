"""Variables that stay on the device between runs."""

import threading
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.meaning.state import OnDevice, fetched
from tpuref.engine.runtime.xla.errors import out_of_memory

DONATING = threading.Lock()
"""The lock of a run that donates variables, and of reading one on the host."""


def array_of(value: Array | OnDevice) -> Any:
    """Return the array of a variable: on the device, or else on the host."""
    return value.array if isinstance(value, DeviceVariable) else fetched(value)


class DeviceVariable(OnDevice):
    """A variable on the device, copied to the host when it is read."""

    def __init__(self, array: Any, layout: Any) -> None:
        self.array = array
        self.layout = layout
        self._copy: Array | None = None

    def replace(self, array: Any) -> None:
        """Set a new value; the caller holds the lock, since the old memory is gone."""
        self.array, self._copy = array, None

    def fetch(self) -> Array:
        """Return the value as an array of the host."""
        with DONATING:
            if self._copy is None:
                # A copy: memory that the host also sees cannot be donated.
                with out_of_memory("a read"):
                    self._copy = np.array(self.array)
            return self._copy
