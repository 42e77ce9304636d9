"""Which process carries which cores."""

import pytest

import tpuref as tf
from tpuref.engine.runtime.pool import split as module
from tpuref.engine.runtime.pool.split import LocalCore, Split, local_cores_of


def test_blocks_follow_one_another_and_differ_by_one_core():
    for cores in (1, 2, 3, 7, 8, 64):
        for processes in range(1, cores + 1):
            split = Split(cores, processes)
            blocks = [split.carried(process) for process in range(processes)]
            assert [core for block in blocks for core in block] == list(range(cores))
            sizes = {cores // processes, -(-cores // processes)}
            assert {len(block) for block in blocks} <= sizes
            for process, block in enumerate(blocks):
                assert {split.carrier(core) for core in block} == {process}


def test_the_setting(monkeypatch):
    monkeypatch.setattr(module, "processors", lambda: 3)
    assert Split.configured(8) == (8, 3)
    assert Split.configured(2) == (2, 2)
    for processes, expected in [(1, 1), (5, 5), (99, 8), ("cores", 8)]:
        with tf.config.override(processes=processes):
            assert Split.configured(8) == (8, expected)
    for wrong in (0, -1, "core", "2", 1.5, True):
        with pytest.raises(ValueError, match="processes must be an integer from 1"):
            tf.config.processes = wrong


def test_local_cores_are_in_the_order_of_the_cores():
    local_cores = local_cores_of(Split(6, 2), ((5, 0), (1, 4), (3, 2)))
    first, second = local_cores[0], local_cores[1]
    assert first == [LocalCore(0, 0, 1), LocalCore(1, 1, 0), LocalCore(2, 2, 1)]
    assert (first.replicas, first.leading, first.leaders) == ([0, 1, 2], [1], [1])
    assert second == [LocalCore(3, 2, 0), LocalCore(4, 1, 1), LocalCore(5, 0, 0)]
    assert (second.replicas, second.leaders) == ([2, 1, 0], [2, 0])
