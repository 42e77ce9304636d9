"""The inputs of one run: where each array lies for the cores to read."""

from __future__ import annotations

from tpuref.ops.definition import Array
from tpuref.runtime.cores import Cores
from tpuref.runtime.descriptions import (
    Described,
    describe_in_arena,
    describe_inline,
    goes_inline,
)


class InputBlocks:
    """What was copied into the arena for a run, or lay there before.

    Parameters
    ----------
    cores
        The cores that read it.
    """

    def __init__(self, cores: Cores) -> None:
        self._arena, self._heap = cores.arena, cores.heap
        self._known: dict[int, tuple[Array, Described]] = {}
        self._blocks: list[int] = []

    def describe(self, array: Array) -> Described:
        """Return the array for a message, copied into the arena where it is large."""
        known = self._known.get(id(array))
        if known is None:
            known = array, self._place(array)
            self._known[id(array)] = known
        return known[1]

    def _place(self, array: Array) -> Described:
        if goes_inline(array):
            return describe_inline(array)
        offset = self._arena.start_of(array)
        if offset is None:
            offset = self._heap.allocate(array.nbytes)
            self._blocks.append(offset)
            self._arena.view(offset, array.shape, array.dtype)[...] = array
        return describe_in_arena(array, offset)

    def release(self) -> None:
        """Free what was copied."""
        for offset in self._blocks:
            self._heap.free(offset)
