"""The arena: the memory that the host and all processes share.

It is a memory file without a name, so nothing is left behind when a process is killed.
Each process allocates blocks in its own part, its heap, and reads all of the arena.  So
allocation takes no lock; a block of another heap is freed by a message to its owner.

::

    | control | heap of the host | heap of core 0 | heap of core 1 | ...
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import ResourceExhaustedError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.available_memory import available_bytes
from tpuref.kernels import addresses
from tpuref.kernels.slab import Slab

HEAP_BYTES = 1 << 36
"""The address space of one heap; memory is taken only as blocks are allocated.

Heaps are smaller if a limit of the process rules this size out.
"""

SMALLEST_HEAP_BYTES = 1 << 26

_ALIGNMENT = 64  # a cache line
_PAGE = 4096
_COMMIT_BYTES = 1 << 20  # memory is taken in steps of at least this
_IDLE_SHARE = 8  # idle memory: at most this part of the available memory,
_IDLE_BYTES = 1 << 26  # and after each run at most this, or that of the runs
_RUNS_OF_MEMORY = 2  # kept idle: a result lives until the next run has given another
_MEMORY_OF_RUNS = 8  # a large run is forgotten by this fraction in each later run


class Arena:
    """The shared memory of one pool, mapped by one process.

    There is one heap for the host and one for each core.
    """

    def __init__(
        self,
        descriptor: int,
        control_bytes: int,
        heaps: int,
        heap_bytes: int = HEAP_BYTES,
    ) -> None:
        self.descriptor = descriptor
        self.heap_bytes = heap_bytes
        self._first = _round_up(control_bytes, _PAGE)
        self._map = _map_file(descriptor, self._first + heaps * heap_bytes)
        self.bytes: Array = np.frombuffer(self._map, np.uint8)
        self._address: int = addresses.address_of(self.bytes)

    @classmethod
    def create(cls, control_bytes: int, heaps: int) -> Arena:
        """Create the arena; its descriptor is passed to the cores.

        It raises ResourceExhaustedError without address space or memory for it.
        """
        heap_bytes = HEAP_BYTES
        while True:
            descriptor = anonymous_file()
            try:
                return cls._create(descriptor, control_bytes, heaps, heap_bytes)
            except ResourceExhaustedError:
                os.close(descriptor)
                raise
            except (OSError, MemoryError) as error:
                os.close(descriptor)
                if heap_bytes <= SMALLEST_HEAP_BYTES:
                    raise ResourceExhaustedError(
                        f"no room for the memory of the cores, {heaps} heaps of "
                        f"{heap_bytes >> 20} MiB of address space ({error}); raise the "
                        "limits of the process (ulimit -v, ulimit -f, ulimit -n)",
                        code=codes.OUT_OF_MEMORY,
                    ) from error
            heap_bytes //= 4

    @classmethod
    def _create(
        cls, descriptor: int, control_bytes: int, heaps: int, heap_bytes: int
    ) -> Arena:
        first = _round_up(control_bytes, _PAGE)
        os.ftruncate(descriptor, first + heaps * heap_bytes)
        arena = cls(descriptor, control_bytes, heaps, heap_bytes)
        arena.take(0, first)
        return arena

    def close(self) -> None:
        """Close the descriptor; arrays in the arena stay valid."""
        os.close(self.descriptor)

    def heap(self, number: int) -> Heap:
        """Return the heap of the host (0) or of core ``number - 1``."""
        start = self._first + number * self.heap_bytes
        return Heap(self, start, start + self.heap_bytes)

    def view(
        self,
        offset: int,
        shape: Sequence[int],
        dtype: np.dtype[Any],
        strides: Sequence[int] | None = None,
    ) -> Array:
        """Return the array at `offset`."""
        array: Array = np.ndarray(shape, dtype, self._map, offset, strides)
        return array

    def slab(self, offset: int, size: int) -> Slab:
        """Return the bytes at `offset` as a slab."""
        slab: Slab = Slab((size,), np.uint8, self._map, offset)
        return slab

    def offset_of(self, array: Array) -> int | None:
        """Return the offset of a contiguous array, None if it is not in the arena."""
        return self.start_of(array) if array.flags.c_contiguous else None

    def start_of(self, array: Array) -> int | None:
        """Return the offset of the first element, None if it is not in the arena."""
        offset: int = addresses.address_of(array) - self._address
        return offset if 0 <= offset < len(self._map) else None

    def take(self, offset: int, size: int) -> None:
        """Take memory for a range.

        It raises ResourceExhaustedError, with both sizes, if there is not enough.
        """
        available = available_bytes()
        if size > available:
            raise ResourceExhaustedError(_short_of_memory(size, available))
        try:
            os.posix_fallocate(self.descriptor, offset, size)
        except OSError as error:
            raise ResourceExhaustedError(_short_of_memory(size, available)) from error

    def give_back(self, offset: int, size: int) -> None:
        """Return the whole pages of a range to the system."""
        start = _round_up(offset, mmap.PAGESIZE)
        end = (offset + size) // mmap.PAGESIZE * mmap.PAGESIZE
        if hasattr(mmap, "MADV_REMOVE") and start < end:
            self._map.madvise(mmap.MADV_REMOVE, start, end - start)


class Heap:
    """The part of the arena in which one process allocates blocks.

    Blocks have few sizes (`_size_class`), so the next of a class takes a freed one, and
    the steps of a training loop reuse the same memory.  Idle blocks beyond a limit lose
    their pages (`_hollow`) but keep their place.  The limit follows the largest recent
    run and shrinks by an eighth with each run.
    """

    def __init__(self, arena: Arena, start: int, end: int) -> None:
        self._arena = arena
        self._top = self._taken = start
        self._end = end
        self._sizes: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._hollow: set[int] = set()
        self._idle = 0
        self._idle_limit = self._largest_idle = available_bytes() // _IDLE_SHARE
        self._taken_in_run = 0
        self.start, self.end = start, end

    def allocate(self, size: int) -> int:
        """Return the offset of a block of at least `size` bytes.

        It raises ResourceExhaustedError if there is no memory for it.
        """
        size = _size_class(size)
        self._taken_in_run += size
        free = self._free.get(size)
        if free:
            self._fill(free[-1], size)
            offset = free.pop()
            self._sizes[offset] = size
            return offset
        offset = self._top
        if offset + size > self._end:
            raise ResourceExhaustedError(
                f"a heap of {(self._end - self.start) >> 20} MiB cannot hold {size} "
                f"more bytes, it has {self._end - self._top}",
                code=codes.OUT_OF_MEMORY,
            )
        if offset + size > self._taken:
            step = max(_round_up(offset + size - self._taken, _PAGE), _COMMIT_BYTES)
            step = min(step, self._end - self._taken)
            self._arena.take(self._taken, step)
            self._taken += step
        self._top = offset + size
        self._sizes[offset] = size
        return offset

    def copy(self, array: Array) -> tuple[int, Array]:
        """Copy an array into a new block; return the block's offset and the copy."""
        offset = self.allocate(array.nbytes)
        copied = self._arena.view(offset, array.shape, array.dtype)
        copied[...] = array
        return offset, copied

    def _fill(self, offset: int, size: int) -> None:
        """Give a free block its pages again if it has lost them."""
        if offset in self._hollow:
            self._arena.take(offset, size)
            self._hollow.discard(offset)
        else:
            self._idle -= size

    def free(self, offset: int) -> None:
        """Free a block."""
        size = self._sizes.pop(offset)
        self._free.setdefault(size, []).append(offset)
        self._idle += size
        if size >= _COMMIT_BYTES and self._idle > self._idle_limit:
            self._give_back(offset, size)

    def _give_back(self, offset: int, size: int) -> None:
        self._arena.give_back(offset, size)
        self._hollow.add(offset)
        self._idle -= size

    def begin_run(self) -> None:
        """Return idle memory that the last runs did not need."""
        needed = max(_IDLE_BYTES, _RUNS_OF_MEMORY * self._taken_in_run)
        slowly = self._idle_limit - self._idle_limit // _MEMORY_OF_RUNS
        self._idle_limit = min(self._largest_idle, max(needed, slowly))
        self._taken_in_run = 0
        for size in sorted(self._free, reverse=True):
            for offset in self._free[size]:
                if self._idle <= self._idle_limit or size < _COMMIT_BYTES:
                    return
                if offset not in self._hollow:
                    self._give_back(offset, size)

    @property
    def used_bytes(self) -> int:
        """The size of the blocks that are in use."""
        return sum(self._sizes.values())


def _size_class(size: int) -> int:
    """Round a size up so that blocks can be reused; at most a quarter is lost."""
    if size <= _ALIGNMENT:
        return _ALIGNMENT
    if size <= _PAGE:
        return _round_up(size, _ALIGNMENT)
    return _round_up(size, max(_PAGE, 1 << (size - 1).bit_length() - 3))


def _round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def _map_file(descriptor: int, size: int) -> mmap.mmap:
    if sys.version_info >= (3, 13):
        return mmap.mmap(descriptor, size, trackfd=False)
    return mmap.mmap(descriptor, size)  # holds a copy of the descriptor while it lives


def anonymous_file() -> int:
    """Return the descriptor of new memory without a name."""
    try:
        if hasattr(os, "memfd_create"):
            return os.memfd_create("tpuref", os.MFD_CLOEXEC)
        import tempfile  # only where there is no memfd

        descriptor, path = tempfile.mkstemp()
    except OSError as error:
        raise ResourceExhaustedError(
            f"no memory to share with the cores could be made ({error}); raise the "
            "limits of the process (ulimit -n)",
            code=codes.OUT_OF_MEMORY,
        ) from error
    os.unlink(path)
    return descriptor


def _short_of_memory(need: int, have: int) -> str:
    return (
        f"the cores need {need} more bytes of shared memory, {have} are available; use "
        "smaller batches or fewer cores, or give the container more memory"
        f" [{codes.OUT_OF_MEMORY}]"
    )
