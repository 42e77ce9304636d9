"""The stage that computes elements in advance, in a thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.data.element import Item
from tpuref.data.sources import integer
from tpuref.data.stage import Pass, Stage

AUTOTUNED = 4
"""The number of elements to keep ready if the user does not say."""

CLOSING_SECONDS = 5.0
"""How long to wait for the thread's last element."""


class Prefetch(Stage):
    """The same elements, computed in advance."""

    name = "PrefetchDataset"

    def __init__(self, source: Stage, buffer_size: Any) -> None:
        self._source = source
        self._size = integer("Dataset.prefetch", buffer_size)
        super().__init__(source.element, [source], [self._size])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements; the thread ends with this iterator."""
        size = current.number(self._size)
        if size < -1:
            raise self.fault(
                InvalidArgumentError,
                f"buffer_size must be 0 or more, got {size}",
                code=codes.INVALID_DATASET_ARGUMENT,
            )
        items = self._source.items(current)
        if size == 0:
            yield from items
            return
        ahead = Ahead(items, AUTOTUNED if size == -1 else size)
        try:
            yield from ahead
        finally:
            ahead.close()


class Ahead:
    """An iterator that a thread consumes in advance of its user.

    Parameters
    ----------
    items
        The iterator.
    capacity
        The number of items to keep ready.
    """

    def __init__(self, items: Iterator[Item], capacity: int) -> None:
        self._capacity = capacity
        self._waiting: deque[Item] = deque()
        self._error: BaseException | None = None
        self._ended = False
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(
            target=self._work, args=(items,), name="tpuref prefetch", daemon=True
        )
        self._thread.start()

    def __iter__(self) -> Iterator[Item]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if not self._waiting:
                    break
                item = self._waiting.popleft()
                self._changed.notify_all()
            yield item
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSING_SECONDS)

    def _work(self, items: Iterator[Item]) -> None:
        try:
            for item in items:
                with self._changed:
                    self._changed.wait_for(self._has_room)
                    if self._closed:
                        return
                    self._waiting.append(item)
                    self._changed.notify_all()
        except BaseException as error:  # raised for the user of the items
            self._error = error
        finally:
            del items
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _has_room(self) -> bool:
        return self._closed or len(self._waiting) < self._capacity
