"""reduce, batch_reduce, broadcast and map."""

import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM


def per_tower(strategy, dtype=tf.float32):
    def own():
        return tf.cast(tf.constant(tf.get_tower_context().tower_id + 1.0), dtype)

    return strategy.call_for_each_tower(own)


@pytest.fixture
def strategy(strategy_of):
    """Four towers, in scope."""
    chosen = strategy_of(4)
    with chosen.scope():
        yield chosen


def test_explain_covers_assignments_in_towers(strategy, evaluate):
    accounts = []
    v = tf.get_variable("v", initializer=0.0, aggregation=SUM)
    with strategy.explain_reductions(accounts.append):
        grown = strategy.call_for_each_tower(
            lambda: v.assign_add(tf.get_tower_context().tower_id + 1.0)
        )
    evaluate(strategy.group(grown))
    assert [float(account.result) for account in accounts] == [10.0]


def test_explain_ends_with_its_block(strategy, evaluate):
    accounts, value = [], per_tower(strategy)
    with strategy.explain_reductions(accounts.append):
        pass
    evaluate(strategy.unwrap(strategy.reduce(SUM, value, value)))
    assert accounts == []
