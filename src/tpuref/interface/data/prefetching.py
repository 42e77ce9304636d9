"""Define the stage that computes elements ahead, in a thread."""

import contextlib
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.interface.data.ahead import Ahead
from tpuref.interface.data.element import Item
from tpuref.interface.data.sources import integer
from tpuref.interface.data.stage import Pass, Stage

AUTOTUNED = 4
"""The default number of elements to keep ready."""


class Prefetch(Stage):
    """Computes the elements ahead of their use."""

    name = "PrefetchDataset"
    keeps_number = True

    def __init__(self, source: Stage, buffer_size: Any) -> None:
        self._source = source
        self._size = integer("Dataset.prefetch", buffer_size)
        super().__init__(source.element, [source], [self._size])
        self.calls_user = False  # items() gives the stages before it their deadline

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements; the thread ends with this iterator."""
        size = current.number(self._size)
        if size < -1:
            raise self.fault(
                InvalidArgumentError,
                f"buffer_size must be 0 or more, got {size}",
                code=codes.INVALID_ARGUMENT,
            )
        items = self._source.items(current)
        if size == 0 and not self._source.calls_user:
            yield from items
            return
        capacity = AUTOTUNED if size == -1 else size
        with contextlib.closing(Ahead(items, capacity)) as ahead:
            yield from ahead
