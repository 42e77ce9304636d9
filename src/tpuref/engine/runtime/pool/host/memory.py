"""The host's part of the arena: inputs that cores read, and results.

Inputs are copied in for one run, constants and variables once for many.  Blocks for
results of static shape are allocated before the run, all replicas side by side, so that
joining them along the first dimension needs no copy.
"""

import weakref
from collections import deque
from collections.abc import Sequence

from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.ownership import owned
from tpuref.engine.runtime.meaning.state import OnDevice, fetched
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.host.occupation import Occupation
from tpuref.engine.runtime.pool.host.program_facts import ResultBlock
from tpuref.engine.runtime.pool.messages import (
    Described,
    DescribedColumn,
    array_of,
    describe_column,
    describe_in_arena,
    describe_inline,
    goes_inline,
    offset_of,
)
from tpuref.kernels.slab import Slab


class HostMemory:
    """The host's heap, and the arrays in the heaps of the processes that it holds.

    A block lives as long as the array that was handed out for it.  The last reference
    to an array may go in any thread and at any bytecode, even while the heap is being
    changed.  So a finalizer only appends the offset to a queue, and frees it at once
    only if it gets the occupation, which everybody who changes the heap holds.
    """

    def __init__(self, arena: Arena, occupation: Occupation, processes: int) -> None:
        self.arena, self.heap = arena, arena.heap(0)
        self._occupation = occupation
        self._returned: deque[int] = deque()
        self.freed: list[deque[int]] = [deque() for _ in range(processes)]
        # By the id of a constant; its weak reference forgets it, before the id is used
        # for another array.
        self._used: dict[int, weakref.ref[Array]] = {}
        self._constants: dict[int, tuple[Described, int | None]] = {}

    def free_returned(self) -> None:
        """Free the blocks whose arrays have died; the caller holds the occupation."""
        for offset in _drain(self._returned):
            self.heap.free(offset)

    def _return(self, offset: int) -> None:
        """Free a block, now or before the next run."""
        self._returned.append(offset)
        with self._occupation.held() as idle:
            if idle:
                self.free_returned()

    def take_freed(self, process: int) -> list[int]:
        """Empty the list of blocks of a process's heap that the host has dropped."""
        return _drain(self.freed[process])

    def slab(self, size: int) -> tuple[int, Slab]:
        """Return a new block and its offset."""
        self.free_returned()
        offset = self.heap.allocate(size)
        slab = self.arena.slab(offset, size)
        weakref.finalize(slab, self._return, offset)
        return offset, slab

    def readable(self, value: Array | OnDevice) -> Array | OnDevice:
        """Return the value of a variable, fetched unless it lies in this arena."""
        left = isinstance(value, LeftValue) and value.memory is self
        return value if left else fetched(value)

    def can_read(self, array: Array) -> bool:
        """Return whether the processes can read an array: in the arena, or inline."""
        return goes_inline(array) or self.arena.start_of(array) is not None

    def move(self, array: Array) -> Array:
        """Return a copy in the host's heap."""
        offset, copy = self.heap.copy(array)
        weakref.finalize(copy, self._return, offset)
        return copy

    def constant(self, array: Array) -> Described | None:
        """Return the description of an array that an earlier run used too, or None.

        Only the second run copies a constant into the arena, for good: one of a graph
        that runs once takes no memory beyond its run.
        """
        if array.flags.writeable or not array.flags.owndata:
            return None
        key = id(array)
        if key not in self._used:
            # A strong reference to self is a cycle: it keeps the arena until a gc.
            owner = weakref.ref(self)
            self._used[key] = weakref.ref(array, lambda _: _forget(owner, key))
            return None
        if key not in self._constants:
            self._constants[key] = self._describe_constant(array)
        return self._constants[key][0]

    def _describe_constant(self, array: Array) -> tuple[Described, int | None]:
        if goes_inline(array):
            return describe_inline(array), None
        offset, copy = self.heap.copy(array)
        return describe_in_arena(copy, offset), offset

    def forget(self, key: int) -> None:
        """Free the block of a constant that has died."""
        del self._used[key]
        _, offset = self._constants.pop(key, (None, None))
        if offset is not None:
            self._return(offset)

    def pin(self, process: int, described: Described) -> Array:
        """Return a result in a process's heap, which keeps it while it is used."""
        array = array_of(described, self.arena)
        self.free_with(array, process, described)
        return array

    def free_with(self, array: Array, process: int, described: Described) -> None:
        """Free the block of a result when its array dies."""
        offset = offset_of(described)
        if offset is not None:
            weakref.finalize(array, self.freed[process].append, offset)

    def copied(self, described: Described) -> Array:
        """Return a copy of an array that a core described."""
        array = array_of(described, self.arena)
        return array if offset_of(described) is None else array.copy()


class LeftValue(OnDevice):
    """The new value of a variable, in the heap of a process or in its reply.

    Most are replaced by the next run before anybody reads them, so the array is created
    on the first read.
    """

    def __init__(self, memory: HostMemory, process: int, described: Described) -> None:
        self.memory, self.process, self.described = memory, process, described

    def fetch(self) -> Array:
        """Return the value; the array owns the block from then on."""
        held = vars(self)
        if "array" not in held:
            array = owned(array_of(self.described, self.memory.arena))
            # Atomic: of concurrent first reads, one array owns the block.
            if held.setdefault("array", array) is array:
                self.memory.free_with(array, self.process, self.described)
        found: Array = held["array"]
        return found

    def __del__(self) -> None:
        offset = offset_of(self.described)
        if offset is not None and "array" not in vars(self):
            self.memory.freed[self.process].append(offset)


class InputBlocks:
    """The arrays that one run sends to the processes, large ones as blocks."""

    def __init__(self, memory: HostMemory) -> None:
        self._memory = memory
        self._described: dict[int, tuple[Array, Described]] = {}
        self._blocks: list[int] = []

    def describe_column(self, arrays: Sequence[Array]) -> DescribedColumn:
        """Describe one input of the replicas of a process."""
        return describe_column(arrays, self.describe)

    def describe_value(self, value: Array | OnDevice) -> Described:
        """Describe the value of a variable."""
        if isinstance(value, LeftValue):
            return value.described
        return self.describe(fetched(value))

    def describe(self, array: Array) -> Described:
        """Describe an array for a message; a large one is copied into the arena."""
        known = self._described.get(id(array))
        if known is None:  # else replicas share it
            described = self._memory.constant(array) or self._place(array)
            known = self._described[id(array)] = array, described
        return known[1]

    def _place(self, array: Array) -> Described:
        if goes_inline(array):
            return describe_inline(array)
        offset = self._memory.arena.start_of(array)
        if offset is None:
            offset, array = self._memory.heap.copy(array)
            self._blocks.append(offset)
        return describe_in_arena(array, offset)

    def release(self) -> None:
        """Free the blocks."""
        for offset in self._blocks:
            self._memory.heap.free(offset)


class ResultSlabs:
    """The slabs of one run into which the cores write results of static shape.

    `results` has the block of each result; `blocks` its size per replica and its
    offset. Both are None for a result without a slab.
    """

    def __init__(
        self, memory: HostMemory, results: Sequence[ResultBlock | None], replicas: int
    ) -> None:
        self._results = results
        self._slabs = [r and memory.slab(r.size * replicas) for r in results]
        self.blocks = [
            (result.size, slab[0]) if result and slab else None
            for result, slab in zip(results, self._slabs, strict=True)
        ]

    def array(self, result: int, replica: int) -> Array:
        """Return the array that a replica has written."""
        block, slab = self._results[result], self._slabs[result]
        assert block is not None and slab is not None
        return slab[1].part(replica * block.size, block.shape, block.dtype)


def _drain(offsets: deque[int]) -> list[int]:
    """Empty a queue to which finalizers of arrays may append at any moment."""
    taken = []
    while offsets:
        taken.append(offsets.popleft())
    return taken


def _forget(owner: weakref.ref[HostMemory], key: int) -> None:
    """Forget a constant that has died, unless the memory is gone too."""
    memory = owner()
    if memory is not None:
        memory.forget(key)
