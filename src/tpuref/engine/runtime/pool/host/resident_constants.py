"""Constants that more than one run uses."""

from __future__ import annotations

import weakref

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.arena import Heap
from tpuref.engine.runtime.pool.descriptions import (
    Described,
    describe_in_arena,
    describe_inline,
    goes_inline,
)
from tpuref.engine.runtime.pool.host.returned_blocks import ReturnedBlocks


class ResidentConstants:
    """The descriptions of constants that more than one run has used.

    A large one stays in a block of the arena.  A constant that is used once, such as
    one of a graph that runs once, takes no memory beyond its run.

    Parameters
    ----------
    heap
        The host's part of the shared memory.
    returned
        The blocks of that part which are no longer used.
    """

    def __init__(self, heap: Heap, returned: ReturnedBlocks) -> None:
        self._heap = heap
        self._returned = returned
        self._used: dict[int, weakref.ref[Array]] = {}
        self._described: dict[int, Described] = {}
        self._offsets: dict[int, int] = {}

    def described(self, array: Array) -> Described | None:
        """Return the description of an array, None for one that is not kept."""
        if array.flags.writeable or not array.flags.owndata:
            return None
        key = id(array)
        described = self._described.get(key)
        if described is None and key in self._used:
            described = self._described[key] = self._kept(key, array)
        elif described is None:
            self._used[key] = weakref.ref(array, lambda _: self._forget(key))
        return described

    def _kept(self, key: int, array: Array) -> Described:
        if goes_inline(array):
            return describe_inline(array)
        self._offsets[key], copy = self._heap.copy(array)
        return describe_in_arena(copy, self._offsets[key])

    def _forget(self, key: int) -> None:
        del self._used[key]
        self._described.pop(key, None)
        offset = self._offsets.pop(key, None)
        if offset is not None:
            self._returned.add(offset)
