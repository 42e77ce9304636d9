"""The inputs of one run, in memory that the cores can read."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.pool.descriptions import (
    Described,
    DescribedColumn,
    describe_column,
    describe_in_arena,
    describe_inline,
    goes_inline,
)
from tpuref.engine.runtime.pool.host.cores import Cores


class InputBlocks:
    """The blocks of the arena into which inputs of one run were copied.

    Parameters
    ----------
    cores
        The cores that read it.
    """

    def __init__(self, cores: Cores) -> None:
        self._arena, self._heap = cores.arena, cores.heap
        self._constants = cores.constants
        self._known: dict[int, tuple[Array, Described]] = {}
        self._blocks: list[int] = []

    def describe_column(self, arrays: Sequence[Array]) -> DescribedColumn:
        """Describe what the replicas of a process are given for one input."""
        return describe_column(arrays, self.describe)

    def describe(self, array: Array) -> Described:
        """Describe an array for a message; a large one is copied into the arena."""
        known = self._known.get(id(array))
        if known is None:
            described = self._constants.described(array) or self._place(array)
            known = self._known[id(array)] = array, described
        return known[1]

    def _place(self, array: Array) -> Described:
        if goes_inline(array):
            return describe_inline(array)
        offset = self._arena.start_of(array)
        if offset is None:
            offset, array = self._heap.copy(array)
            self._blocks.append(offset)
        return describe_in_arena(array, offset)

    def release(self) -> None:
        """Free the blocks."""
        for offset in self._blocks:
            self._heap.free(offset)
