"""Variables that stay on the device between runs."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.meaning.state import OnDevice
from tpuref.engine.runtime.xla.errors import out_of_memory

DONATING = threading.Lock()
"""Held while a run takes the memory of variables, and while the host reads one."""


class DeviceVariable(OnDevice):
    """The value of a variable on the device, copied to the host when it is read.

    Parameters
    ----------
    array
        The array of JAX.
    layout
        How it is laid out on the devices.
    """

    def __init__(self, array: Any, layout: Any) -> None:
        self.array = array
        self.layout = layout
        self._copy: Array | None = None

    def replace(self, array: Any) -> None:
        """Hold a new value; the caller has the lock, as the old memory is gone."""
        self.array, self._copy = array, None

    def fetch(self) -> Array:
        """Return the value, for the host."""
        with DONATING:
            if self._copy is None:
                # Memory that the host sees could not be taken by a run.
                with out_of_memory("a read"):
                    self._copy = np.array(self.array)
            return self._copy
