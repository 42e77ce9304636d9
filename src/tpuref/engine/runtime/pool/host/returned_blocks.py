"""Blocks of the host's heap that nobody uses any more, on their way back to it."""

from __future__ import annotations

from collections import deque

from tpuref.engine.runtime.pool.arena import Heap
from tpuref.engine.runtime.pool.host.occupation import Occupation


class ReturnedBlocks:
    """Blocks that were handed out and are no longer used.

    The last reference to an array may go in any thread and at any moment, also while
    the heap is at work.

    Parameters
    ----------
    heap
        Where they belong.
    occupation
        Held by whoever works with the heap.
    """

    def __init__(self, heap: Heap, occupation: Occupation) -> None:
        self._heap = heap
        self._occupation = occupation
        self._offsets: deque[int] = deque()

    def add(self, offset: int) -> None:
        """Free a block, at once if nobody works with the heap."""
        self._offsets.append(offset)
        with self._occupation.held() as idle:
            if idle:
                self.free()

    def free(self) -> None:
        """Free what has come back; the caller holds the occupation."""
        for offset in drained(self._offsets):
            self._heap.free(offset)


def drained(offsets: deque[int]) -> list[int]:
    """Empty a queue to which finalizers of arrays may add at any moment."""
    taken = []
    while offsets:
        taken.append(offsets.popleft())
    return taken
