"""Calling a function once per tower, and merge_call between the towers."""

from __future__ import annotations

import pytest

import tpuref as tf

TOWERS = [1, 2, 4, 8]


def merge_sum(distribution, three_plus_tower_id):
    return sum(distribution.unwrap(three_plus_tower_id))


def documented(three):
    tower_ctx = tf.get_tower_context()
    v = three + tower_ctx.tower_id
    s = tower_ctx.merge_call(merge_sum, v)
    return s + v


@pytest.mark.parametrize("towers", TOWERS)
def test_documented_example(towers, strategy_of):
    strategy = strategy_of(towers)
    with strategy.scope():
        merged = strategy.call_for_each_tower(documented, 3)
    total = sum(3 + k for k in range(towers))
    assert strategy.unwrap(merged) == [total + 3 + k for k in range(towers)]


def test_towers_pause_at_a_merge_call(strategy_of):
    strategy, events = strategy_of(2), []

    def fn():
        context = tf.get_tower_context()
        events.append(f"before{context.tower_id}")
        context.merge_call(lambda distribution: events.append("merge"))
        events.append(f"after{context.tower_id}")

    with strategy.scope():
        strategy.call_for_each_tower(fn)
    assert events == ["before0", "before1", "merge", "after0", "after1"]


def test_different_numbers_of_merge_calls_name_the_towers(strategy_of):
    strategy = strategy_of(4)

    def fn():
        context = tf.get_tower_context()
        if context.tower_id in (0, 2):
            context.merge_call(lambda distribution: None)

    with strategy.scope(), pytest.raises(RuntimeError, match="towers 0, 2 are") as info:
        strategy.call_for_each_tower(fn)
    assert "towers 1, 3 are over" in str(info.value)


def test_an_error_in_one_tower_names_it(strategy_of):
    strategy = strategy_of(4)

    def fn():
        context = tf.get_tower_context()
        if context.tower_id == 2:
            raise ValueError("no luck")
        context.merge_call(lambda distribution: None)

    with strategy.scope(), pytest.raises(ValueError, match="in tower 2 of 4: no luck"):
        strategy.call_for_each_tower(fn)
