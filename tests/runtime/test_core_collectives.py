"""What a core makes of the status that its links give."""

from typing import Any

import numpy as np
import pytest

from tpuref.engine.configuration import ALL_REDUCES, EXECUTORS
from tpuref.engine.runtime.executor import STARTS
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.process.collectives import (
    ALGORITHMS,
    CoreCollectives,
    Diverged,
    ReplicaSum,
    Stopped,
)
from tpuref.engine.runtime.pool.split import LocalCore, Split
from tpuref.kernels import status

from .programs import instr

SUM = instr("CrossReplicaSum", [0], 1, groups=((0, 1),))


class Answering:
    """Links that give one status to every sum."""

    def __init__(self, outcome):
        self._outcome = outcome

    def flat(self, *arguments):
        return self._outcome

    direct = ring = flat


def summed(outcome, algorithm):
    arena = Arena.create(64, 1)
    try:
        links: Any = Answering(outcome)
        collectives = CoreCollectives(Split(2, 2), arena, arena.heap(0), {0: links})
        collectives.begin(((0,), (1,)), algorithm)
        sums = ReplicaSum(collectives, SUM, [LocalCore(0, 0, 0)])
        return sums([np.zeros(4, np.float32)])
    finally:
        arena.close()


def test_each_algorithm_and_executor_that_can_be_chosen_has_its_function():
    assert {"auto", *ALGORITHMS} == set(ALL_REDUCES)
    assert set(STARTS) == set(EXECUTORS)


@pytest.mark.parametrize("algorithm", ALL_REDUCES)
def test_only_the_replicas_doing_is_blamed_on_them(algorithm):
    for outcome in (status.LEFT, status.MISMATCH):
        with pytest.raises(Diverged):
            summed(outcome, algorithm)
    with pytest.raises(Stopped):
        summed(status.POISONED, algorithm)


@pytest.mark.parametrize("algorithm", ALL_REDUCES)
@pytest.mark.parametrize(
    "fault", ["BAD_COUNT", "SOURCE_SIZE", "BAD_MEMBERS", "BAD_OFFSET", "BAD_DTYPE"]
)
def test_a_fault_of_the_links_is_told_as_one(fault, algorithm):
    outcome = getattr(status, fault)
    with pytest.raises(ValueError, match="CrossReplicaSum") as raised:
        summed(outcome, algorithm)
    with pytest.raises(ValueError, match="f") as meaning:
        status.check(outcome, "f")
    assert str(raised.value).endswith(str(meaning.value).removeprefix("f(): "))


def test_an_unknown_algorithm_is_no_direct_one():
    with pytest.raises(KeyError, match="tree"):
        summed(status.OK, "tree")


class Looking(Answering):
    """Links that keep the arrays at the offsets of a table, and sum nothing."""

    shared_result = 0

    def __init__(self, arena):
        super().__init__(status.OK)
        self._arena = arena
        self.offsets, self.seen = [], []

    def direct(self, group, table, result, count):
        offsets = self._arena.view(table, (3,), np.dtype(np.int64)).tolist()
        self.offsets = offsets
        self.seen = [
            self._arena.view(offset, (count,), np.dtype(np.float32)).tolist()
            for offset in offsets
        ]
        return status.OK

    def follow(self, member):
        pass


def looked_at(contributions):
    """Give how a process of three cores offers some contributions to a sum."""
    arena = Arena.create(64, 1)
    heap = arena.heap(0)
    try:
        lead = Looking(arena)
        ends: Any = dict.fromkeys(range(3), lead)
        collectives = CoreCollectives(Split(6, 2), arena, heap, ends)
        collectives.begin(tuple((core,) for core in range(6)), "direct")
        total = instr("CrossReplicaSum", [0], 1, groups=((0, 1, 2, 3, 4, 5),))
        sums = ReplicaSum(collectives, total, [LocalCore(k, k, 0) for k in range(3)])
        arrays = contributions(arena, heap)
        sums(arrays)
        return [arena.offset_of(array) for array in arrays], lead
    finally:
        arena.close()


def test_contributions_in_the_arena_are_summed_where_they_lie():
    def apart(arena, heap):
        blocks = [heap.allocate(4096) for _ in range(4)]
        return [arena.view(blocks[k], (1024,), np.dtype(np.float32)) for k in (3, 0, 2)]

    starts, lead = looked_at(apart)
    assert lead.offsets == starts


def test_contributions_outside_the_arena_are_copied_once_for_all_that_share_them():
    one, other = np.arange(9, dtype=np.float32), np.ones(9, np.float32)
    _, lead = looked_at(lambda arena, heap: [one, other, one])
    first, second, third = lead.offsets
    assert first == third != second
    assert lead.seen == [one.tolist(), other.tolist(), one.tolist()]
