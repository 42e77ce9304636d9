"""scope, the contexts, and what is in force outside of any strategy."""

import re
from pathlib import Path

import tpuref as tf

names = tf.compat.strategy_names


def test_later_names(strategy_of):
    strategy = strategy_of(2)
    assert strategy.num_replicas_in_sync == 2

    def fn(x, k=0):
        context = names.get_replica_context()
        assert context.strategy is strategy
        assert context.num_replicas_in_sync == 2
        return x + k + context.replica_id_in_sync_group

    merged = strategy.run(fn, args=(1,), kwargs={"k": 10})
    assert strategy.experimental_local_results(merged) == (11, 12)
    assert strategy.unwrap(strategy.experimental_run_v2(fn, (1,))) == [1, 2]
    assert strategy.unwrap(strategy.experimental_run_v2(fn, (1,), {"k": 5})) == [6, 7]
    with strategy.scope():
        assert names.in_cross_replica_context()
        assert names.has_strategy()
        assert names.get_strategy() is strategy
        assert isinstance(strategy.worker_device_index, names.PerReplica)
    assert isinstance(strategy, names.Strategy)


def test_the_table_of_later_names_tells_the_truth():
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
    text = (Path(__file__).parents[2] / "docs" / "guide" / "strategy.md").read_text()
    printed = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `([\w.]+)`", text, re.MULTILINE)
    assert printed == [(row.later, row.documented, row.where) for row in names.TABLE]
