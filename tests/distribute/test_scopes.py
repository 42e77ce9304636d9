"""scope, the contexts, and what is in force outside of any strategy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tpuref as tf


def test_125_126_128_the_scope(strategy_of):
    strategy = strategy_of(2)
    manager = strategy.scope()
    assert hasattr(manager, "__enter__")
    assert hasattr(manager, "__exit__")
    assert not tf.has_distribution_strategy()
    with manager as entered:
        assert entered is strategy
        assert tf.get_distribution_strategy() is strategy
        assert tf.has_distribution_strategy()
        assert tf.get_tower_context() is None
        assert tf.in_cross_tower_context()
        assert tf.contrib.distribute.get_cross_tower_context() is strategy
    assert not tf.has_distribution_strategy()
    assert tf.get_distribution_strategy() is not strategy


def test_126_the_same_scope_within_itself(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        with strategy.scope():
            v = tf.get_variable("v", [])
        assert tf.get_distribution_strategy() is strategy
    assert len(strategy.unwrap(v)) == 2


def test_126_the_scope_of_another_strategy(strategy_of):
    one, other = strategy_of(2), strategy_of(4)
    with (
        one.scope(),
        pytest.raises(RuntimeError, match="scopes of two strategies cannot be nested"),
        other.scope(),
    ):
        pass
    assert not tf.has_distribution_strategy()


def test_scope_within_a_tower(strategy_of):
    strategy = strategy_of(2)

    def fn():
        with strategy.scope():
            pass

    with strategy.scope(), pytest.raises(RuntimeError, match="within tower 0"):
        strategy.call_for_each_tower(fn)


def test_an_error_leaves_the_scope(strategy_of):
    with pytest.raises(KeyError), strategy_of(2).scope():
        raise KeyError("k")
    assert not tf.has_distribution_strategy()
    assert type(tf.Variable(1.0)) is tf.Variable


def test_128_the_default_context():
    context = tf.get_tower_context()
    assert (context.tower_id, context.num_towers) == (0, 1)
    assert context.is_single_tower
    assert context.device == ""
    assert not tf.in_cross_tower_context()
    default = context.distribution_strategy
    assert tf.get_distribution_strategy() is default
    assert context.merge_call(lambda s, x, k: (s, x + k), 1, k=3) == (default, 4)


def test_the_default_strategy():
    default = tf.get_distribution_strategy()
    with default.scope():
        assert tf.in_cross_tower_context()
        assert not tf.has_distribution_strategy()
        v = tf.get_variable("v", initializer=1.0)
        assert type(v) is tf.Variable
        assert default.call_for_each_tower(lambda x: x + 1, 2) == 3
        with default.colocate_vars_with(v):
            assert type(tf.Variable(1.0)) is tf.Variable
    assert default.initialize() == default.finalize() == []
    assert default.configure() is None


def test_one_device_strategy(evaluate):
    strategy = tf.contrib.distribute.OneDeviceStrategy("/device:CPU:0")
    assert strategy.worker_devices == ["/device:CPU:0"]
    assert strategy.is_single_tower
    with strategy.scope():
        v = tf.get_variable("v", initializer=1.0)
        value = strategy.call_for_each_tower(lambda: v + tf.constant(1.0))
        total = strategy.reduce(tf.VariableAggregation.SUM, value, v)
        grown = strategy.update(v, lambda v, d: v.assign_add(d), total)
    assert value.device == "/device:CPU:0"
    assert evaluate(grown) == 3.0
    with pytest.raises(TypeError, match="device must be a name"):
        tf.contrib.distribute.OneDeviceStrategy(None)


def test_later_names(strategy_of):
    strategy = strategy_of(2)
    assert strategy.num_replicas_in_sync == 2

    def fn(x, k=0):
        context = names.get_replica_context()
        assert context.strategy is strategy
        assert context.num_replicas_in_sync == 2
        return x + k + context.replica_id_in_sync_group

    names = tf.compat.strategy_names
    merged = strategy.run(fn, args=(1,), kwargs={"k": 10})
    assert strategy.experimental_local_results(merged) == (11, 12)
    assert strategy.unwrap(strategy.experimental_run_v2(fn, (1,))) == [1, 2]
    with strategy.scope():
        assert names.in_cross_replica_context()
        assert names.has_strategy()
        assert names.get_strategy() is strategy
        assert isinstance(strategy.worker_device_index, names.PerReplica)
    assert isinstance(strategy, names.Strategy)


def test_the_table_of_later_names_tells_the_truth():
    names = tf.compat.strategy_names
    places = {
        "tf.compat.strategy_names": (names, tf.contrib.distribute),
        "Strategy": (names.Strategy, names.Strategy),
        "ReplicaContext": (names.ReplicaContext, names.ReplicaContext),
        "tf.VariableAggregation": (tf.VariableAggregation, tf.VariableAggregation),
    }
    for row in names.TABLE:
        later, documented = places[row.where]
        assert getattr(later, row.later) is not None
        if row.documented in ("tower_id", "distribution_strategy"):
            continue  # attributes of an instance
        assert getattr(documented, row.documented) is not None


def test_the_table_of_later_names_is_that_of_the_documentation():
    names = tf.compat.strategy_names
    text = (Path(__file__).parents[2] / "docs" / "guide" / "strategy.md").read_text()
    printed = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `([\w.]+)`", text, re.MULTILINE)
    assert printed == [(row.later, row.documented, row.where) for row in names.TABLE]
