"""Inputs on the device, where constants stay."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.xla.placement import Placement


class ResidentInput:
    """An input of a compiled program, cached on the device between runs."""

    def __init__(self, stacked: bool, placement: Placement) -> None:
        self._stacked = stacked
        self._placement = placement
        self._column: Sequence[Array] = ()
        self._on_device: Any = None

    def array(self, column: Sequence[Array]) -> Any:
        """Return the device array of an input; `column` has each replica's array."""
        # Read-only arrays stay on the device from their second run on.
        same_length = len(self._column) == len(column)
        if same_length and all(map(operator.is_, self._column, column)):
            if self._on_device is None:
                self._on_device = self._put(column)
            return self._on_device
        self._on_device = None
        constant = all(a.flags.owndata and not a.flags.writeable for a in column)
        self._column = list(column) if constant else ()
        if self._placement.processes > 1:
            return self._put(column)
        return np.stack(column) if self._stacked else column[0]

    def _put(self, column: Sequence[Array]) -> Any:
        if self._stacked:
            return self._placement.put_rows(column.__getitem__)
        return self._placement.put(np.array(column[0]), False)
