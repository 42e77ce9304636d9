"""Constants that stay where the cores can read them."""

from __future__ import annotations

import weakref

from tpuref.ops.meaning import Array
from tpuref.runtime.arena import Arena, Heap
from tpuref.runtime.returned_blocks import ReturnedBlocks


class ResidentConstants:
    """Blocks of the arena that hold constants which more than one run has used.

    A constant that is used once, such as one of a graph that runs once, takes no memory
    beyond its run.

    Parameters
    ----------
    arena, heap
        The shared memory, and the host's part of it.
    returned
        The blocks of that part which are no longer used.
    """

    def __init__(self, arena: Arena, heap: Heap, returned: ReturnedBlocks) -> None:
        self._arena = arena
        self._heap = heap
        self._returned = returned
        self._used: dict[int, weakref.ref[Array]] = {}
        self._offsets: dict[int, int] = {}

    def offset_of(self, array: Array) -> int | None:
        """Return where the arena holds an array, None for one that it does not keep."""
        if array.flags.writeable or not array.flags.owndata:
            return None
        key = id(array)
        if key not in self._used:
            self._used[key] = weakref.ref(array, lambda _: self._forget(key))
            return None
        if key not in self._offsets:
            offset = self._heap.allocate(array.nbytes)
            self._arena.view(offset, array.shape, array.dtype)[...] = array
            self._offsets[key] = offset
        return self._offsets[key]

    def _forget(self, key: int) -> None:
        del self._used[key]
        offset = self._offsets.pop(key, None)
        if offset is not None:
            self._returned.add(offset)
