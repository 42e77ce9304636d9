"""The memory of the pool: blocks never overlap, are used again, and run out loudly."""

import errno
import mmap
import os

import numpy as np
import pytest

from tpuref.base.errors import ResourceExhaustedError
from tpuref.engine.runtime.pool import arena as module
from tpuref.engine.runtime.pool.arena import Arena, Heap

from ..messages import refused

MEBIBYTE = 1 << 20


@pytest.fixture
def arena():
    made = Arena.create(4096, 3)
    yield made
    made.close()


def taken(arena):
    """The memory that is behind the arena."""
    return os.fstat(arena.descriptor).st_blocks * 512


class Model:
    """The blocks that were handed out, each filled with bytes of its own."""

    def __init__(self, arena, heap):
        self.arena, self.heap = arena, heap
        self.blocks: dict[int, tuple[int, int]] = {}

    def allocate(self, size, mark):
        offset = self.heap.allocate(size)
        assert offset % 64 == 0
        assert self.heap.start <= offset <= offset + size <= self.heap.end
        for start, (length, _) in self.blocks.items():
            assert offset + size <= start or start + length <= offset, "they overlap"
        self.arena.view(offset, (size,), np.dtype(np.uint8))[...] = mark
        self.blocks[offset] = size, mark

    def free(self, offset):
        size, mark = self.blocks.pop(offset)
        assert (self.arena.view(offset, (size,), np.dtype(np.uint8)) == mark).all()
        self.heap.free(offset)


@pytest.mark.parametrize("seed", range(4))
def test_blocks_do_not_overlap(arena, seed):
    random = np.random.default_rng(seed)
    heaps = [Model(arena, arena.heap(number)) for number in range(3)]
    for turn in range(600):
        model = heaps[random.integers(3)]
        if model.blocks and random.random() < 0.48:
            model.free(list(model.blocks)[random.integers(len(model.blocks))])
        else:
            size = int(2 ** random.uniform(0, 21))
            model.allocate(size, turn % 251)
        used = sum(size for size, _ in model.blocks.values())
        most = 1.26 * used + (64 + 4096) * len(model.blocks)
        assert used <= model.heap.used_bytes <= most
    for model in heaps:
        for offset in list(model.blocks):
            model.free(offset)
        assert model.heap.used_bytes == 0


def test_freed_memory_is_used_again(arena):
    heap = arena.heap(1)
    sizes = [100, 5000, 70_000, 3 * MEBIBYTE]

    def turn():
        for offset in [heap.allocate(size) for size in sizes * 3]:
            heap.free(offset)

    turn()
    before = taken(arena)
    for _ in range(200):
        turn()
    assert taken(arena) == before


def test_much_freed_memory_is_given_back(arena, monkeypatch):
    monkeypatch.setattr(module, "available_bytes", lambda: 128 * MEBIBYTE)
    heap, before = arena.heap(2), taken(arena)  # an eighth, 16 MiB, may stay
    offsets = [heap.allocate(4 * MEBIBYTE) for _ in range(16)]
    assert taken(arena) - before >= 64 * MEBIBYTE
    for offset in offsets:
        arena.view(offset, (4 * MEBIBYTE,), np.dtype(np.uint8))[...] = 7
    for offset in offsets:
        heap.free(offset)
    assert taken(arena) - before <= 16 * MEBIBYTE
    again = [heap.allocate(4 * MEBIBYTE) for _ in range(16)]
    assert sorted(again) == sorted(offsets)
    assert taken(arena) - before >= 64 * MEBIBYTE, "they have memory again"
    for offset in again:
        arena.view(offset, (4 * MEBIBYTE,), np.dtype(np.uint8))[...] = 9


def test_blocks_between_smaller_ones_are_given_back(arena, monkeypatch):
    monkeypatch.setattr(module, "available_bytes", lambda: 32 * MEBIBYTE)
    heap, before = arena.heap(2), taken(arena)
    small, large = [heap.allocate(64)], []
    for _ in range(8):
        large.append(heap.allocate(4 * MEBIBYTE))
        small.append(heap.allocate(64))
    assert any(offset % mmap.PAGESIZE for offset in large)
    for offset in small:
        arena.view(offset, (64,), np.dtype(np.uint8))[...] = 7
    for offset in large:
        heap.free(offset)
    assert taken(arena) - before <= 8 * MEBIBYTE
    for offset in small:
        assert (arena.view(offset, (64,), np.dtype(np.uint8)) == 7).all()


def test_memory_that_the_last_runs_did_not_need_is_given_back(arena):
    heap, before = arena.heap(2), taken(arena)
    size = 64 * MEBIBYTE

    def run(blocks):
        heap.begin_run()
        for offset in [heap.allocate(size) for _ in range(blocks)]:
            heap.free(offset)

    run(3)
    for _ in range(3):
        run(3)
        assert taken(arena) - before >= 3 * size, "the next run needs it as well"
    for _ in range(20):
        run(1)
    assert taken(arena) - before <= 2 * size
    for _ in range(20):
        run(0)
    heap.begin_run()
    assert taken(arena) - before <= size


def test_a_heap_that_is_full(arena, monkeypatch):
    small = Heap(arena, arena.heap(0).start, arena.heap(0).start + 2 * MEBIBYTE)
    first = small.allocate(MEBIBYTE)
    used = small.used_bytes
    words = ["a heap of 2 MiB cannot hold", f"it has {MEBIBYTE}"]
    refused(ResourceExhaustedError, words, small.allocate, MEBIBYTE + 1)
    assert small.used_bytes == used
    small.allocate(MEBIBYTE)
    small.free(first)
    assert small.allocate(MEBIBYTE) == first


def test_more_than_is_available(arena, monkeypatch):
    heap = arena.heap(0)
    monkeypatch.setattr(module, "available_bytes", lambda: 3 * MEBIBYTE)
    before = taken(arena)
    words = [f"the cores need {4 * MEBIBYTE} more", f"{3 * MEBIBYTE} are available"]
    refused(ResourceExhaustedError, words, heap.allocate, 4 * MEBIBYTE)
    assert taken(arena) == before and heap.used_bytes == 0
    monkeypatch.undo()
    offset = heap.allocate(4 * MEBIBYTE)
    arena.view(offset, (4 * MEBIBYTE,), np.dtype(np.uint8))[...] = 1


def test_memory_that_the_system_refuses(arena, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    heap = arena.heap(0)
    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(ResourceExhaustedError, match="more bytes of shared memory"):
        heap.allocate(4 * MEBIBYTE)
    monkeypatch.undo()
    assert heap.allocate(4 * MEBIBYTE) >= heap.start


def test_a_free_block_whose_memory_cannot_be_had_again_stays_free(arena, monkeypatch):
    monkeypatch.setattr(module, "available_bytes", lambda: 0)
    heap = arena.heap(0)
    monkeypatch.undo()
    offset = heap.allocate(4 * MEBIBYTE)
    heap.free(offset)  # given back, as nothing may stay
    monkeypatch.setattr(module, "available_bytes", lambda: 0)
    for _ in range(2):
        with pytest.raises(ResourceExhaustedError):
            heap.allocate(4 * MEBIBYTE)
    monkeypatch.undo()
    assert heap.allocate(4 * MEBIBYTE) == offset


def test_no_memory_for_the_control_area(monkeypatch):
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(module, "available_bytes", lambda: 3 * MEBIBYTE)
    with pytest.raises(ResourceExhaustedError, match=f"need {4 * MEBIBYTE} more bytes"):
        Arena.create(4 * MEBIBYTE, 9)
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_address_space(monkeypatch):
    before = len(os.listdir("/proc/self/fd"))
    asked = []

    def refuse(self, descriptor, control, heaps, size):
        asked.append(size)
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(Arena, "__init__", refuse)
    with pytest.raises(ResourceExhaustedError, match="9 heaps of 64 MiB"):
        Arena.create(4096, 9)
    assert asked == [1 << power for power in range(36, 24, -2)][:6]
    assert len(os.listdir("/proc/self/fd")) == before


def test_where_arrays_lie(arena):
    offset = arena.heap(1).allocate(4096)
    array = arena.view(offset, (8, 16), np.dtype(np.float32))
    assert arena.offset_of(array) == offset
    assert arena.offset_of(array[2:4]) == offset + 2 * 64
    assert arena.offset_of(array[:, 1:]) is None
    assert arena.offset_of(np.zeros(3)) is None


def test_arrays_outlive_the_arena():
    arena = Arena.create(4096, 1)
    array = arena.view(arena.heap(0).allocate(400), (100,), np.dtype(np.float32))
    array[...] = 3.0
    arena.close()
    del arena
    assert array.sum() == 300.0
    assert array[5:].base is not None
