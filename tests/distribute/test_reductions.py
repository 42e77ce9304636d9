"""reduce, batch_reduce, broadcast and map."""

import numpy as np
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


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_098_halves_are_summed_in_float32(executor, strategy, evaluate):
    with tf.config.override(cores=4, executor=executor):
        value = strategy.call_for_each_tower(
            lambda: tf.constant([2048.0, 1.0], tf.float16)
        )
        (total,) = strategy.batch_reduce(SUM, [(value, value)])
        np.testing.assert_array_equal(
            evaluate(strategy.unwrap(total)), [[8192.0, 4.0]] * 4
        )


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_explain_gives_accounts(executor, strategy, evaluate):
    accounts = []
    with tf.config.override(cores=4, executor=executor):
        pairs = [(per_tower(strategy), strategy.worker_devices)] * 2
        with strategy.explain_reductions(accounts.append):
            results = strategy.batch_reduce(SUM, pairs)
        evaluate([strategy.unwrap(result) for result in results])
    assert len(accounts) == 2
    assert [float(v) for v in accounts[0].towers] == [1.0, 2.0, 3.0, 4.0]
    assert (accounts[0].aggregation, accounts[0].divisor) == (SUM, 1)
    assert float(accounts[0].result) == 10.0


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
