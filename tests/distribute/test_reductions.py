"""reduce, batch_reduce, broadcast and map."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER


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


@pytest.mark.parametrize(
    ("aggregation", "expected"), [(SUM, 10.0), (MEAN, 2.5), (FIRST, 1.0)]
)
def test_038_097_accepted_aggregations(aggregation, expected, strategy, evaluate):
    value = per_tower(strategy)
    (batched,) = strategy.batch_reduce(aggregation, [(value, value)])
    single = strategy.reduce(aggregation, value, value)
    assert evaluate(strategy.unwrap(batched)) == [expected] * 4
    assert evaluate(strategy.unwrap(single)) == [expected] * 4


@pytest.mark.parametrize("wrong", [tf.VariableAggregation.NONE, "sum", 1, None])
def test_038_other_aggregations_are_refused(wrong, strategy):
    value = per_tower(strategy)
    with pytest.raises(ValueError, match="aggregation must be .*SUM, MEAN"):
        strategy.reduce(wrong, value, value)
    with pytest.raises(ValueError, match="^batch_reduce: aggregation must be"):
        strategy.batch_reduce(wrong, [(value, value)])


def test_039_040_pairs(strategy):
    value, first = per_tower(strategy), strategy.worker_devices[0]
    pairs = [(value, first), [value, [first]], (value, value)]
    results = strategy.batch_reduce(SUM, tuple(pairs))
    assert isinstance(results, list)
    assert [len(strategy.unwrap(result)) for result in results] == [1, 1, 4]
    assert strategy.batch_reduce(SUM, []) == []


def test_039_something_that_is_no_pair(strategy):
    with pytest.raises(ValueError, match=r"must be pairs \(value, destinations\)"):
        strategy.batch_reduce(SUM, [per_tower(strategy)])


def test_037_values_are_summed_together(strategy, evaluate):
    one, other = per_tower(strategy), per_tower(strategy, tf.int32)
    many = strategy.call_for_each_tower(
        lambda x: tf.reshape(tf.stack([x, x * 2, x * 3, x * 4]), [2, 2]), one
    )
    before = _sums()
    results = strategy.batch_reduce(SUM, [(one, one), (other, one), (many, one)])
    assert results.collectives == _sums() - before == 2  # one for each dtype
    values = evaluate([strategy.unwrap(result)[3] for result in results])
    assert values[:2] == [10.0, 10]
    np.testing.assert_array_equal(values[2], [[10, 20], [30, 40]])


def test_037_values_of_unknown_shape_are_summed_alone(strategy, evaluate):
    x = tf.placeholder(tf.float32, [None])
    one = strategy.call_for_each_tower(lambda: x * 1.0)
    results = strategy.batch_reduce(SUM, [(one, one), (one, one)])
    assert results.collectives == 2
    fetched = evaluate(strategy.unwrap(results[1]), {x: [1.0, 2.0]})
    np.testing.assert_array_equal(fetched, [[4.0, 8.0]] * 4)


def test_040_the_first_towers_values_need_no_sum(strategy):
    value = per_tower(strategy)
    assert strategy.batch_reduce(FIRST, [(value, value)]).collectives == 0


def _sums():
    operations = tf.get_default_graph().get_operations()
    return sum(operation.type == "TowerSum" for operation in operations)


def test_102_to_the_devices_of_a_variable(strategy):
    with strategy.colocate_vars_with(strategy.worker_devices[:2]):
        var = tf.get_variable("var", [])
    reduced = strategy.reduce(SUM, per_tower(strategy), var)
    placed = [result.device for result in strategy.unwrap(reduced)]
    assert placed == strategy.worker_devices[:2]


@pytest.mark.parametrize("form", ["one", "short", "several", "host"])
def test_104_105_107_to_devices(form, strategy, evaluate):
    devices = strategy.worker_devices
    wanted, placed = {
        "one": (devices[2], [devices[2]]),
        "short": ("/device:TPU:2", [devices[2]]),
        "several": (devices[:3], devices[:3]),
        "host": ("/device:CPU:0", ["/device:CPU:0"]),
    }[form]
    reduced = strategy.reduce(SUM, per_tower(strategy), wanted)
    assert isinstance(reduced, tf.contrib.distribute.Mirrored)
    parts = strategy.unwrap(reduced)
    assert [part.device for part in parts] == placed
    assert evaluate(parts) == [10.0] * len(placed)


@pytest.mark.parametrize("wrong", [None, [], 5, [None]])
def test_destinations_of_no_use(wrong, strategy):
    with pytest.raises(ValueError, match="destinations must be"):
        strategy.reduce(SUM, per_tower(strategy), wrong)


def test_destinations_that_do_not_exist(strategy):
    with pytest.raises(ValueError, match="is no device of the strategy"):
        strategy.reduce(SUM, per_tower(strategy), "/device:TPU:9")
    with pytest.raises(ValueError, match="cannot read 'nonsense'"):
        strategy.reduce(SUM, per_tower(strategy), "nonsense")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda s: tf.constant(1.0), "tf.identity"),
        (lambda s: 5, "one value for all towers"),
        (lambda s: s.broadcast(tf.constant(1.0)), "needs no reduction"),
        (lambda s: tf.get_variable("v", []), "read_var"),
        (
            lambda s: tf.contrib.distribute.PerDevice({s.worker_devices[0]: 1.0}),
            "got 1 components",
        ),
        (lambda s: s.call_for_each_tower(lambda: "text"), "one value for all"),
    ],
    ids=["tensor", "number", "mirrored", "variable", "too few", "text"],
)
def test_101_values_of_the_wrong_kind(make, told, strategy):
    with pytest.raises(ValueError, match="each of the 4 towers") as info:
        strategy.reduce(SUM, make(strategy), strategy.worker_devices)
    assert told in str(info.value)


def test_101_values_that_do_not_agree(strategy):
    shapes = strategy.call_for_each_tower(
        lambda: tf.ones([tf.get_tower_context().tower_id + 1])
    )
    with pytest.raises(ValueError, match="tower 0 has .*, tower 1 has "):
        strategy.reduce(SUM, shapes, shapes)


@pytest.mark.parametrize("make", [lambda t: t > 0, lambda t: f"text {t}"])
def test_101_what_is_no_number_cannot_be_summed(make, strategy, evaluate):
    value = strategy.call_for_each_tower(
        lambda: tf.constant(make(tf.get_tower_context().tower_id))
    )
    with pytest.raises(ValueError, match="MEAN takes numbers, the towers hold"):
        strategy.reduce(MEAN, value, value)
    first = strategy.reduce(FIRST, value, value)
    assert len(evaluate(strategy.unwrap(first))) == 4


def test_101_a_single_towers_value_is_plain(strategy_of, evaluate):
    strategy = strategy_of(1)
    with strategy.scope():
        value = per_tower(strategy)
        reduced = strategy.reduce(MEAN, value, value)
    assert evaluate(strategy.unwrap(reduced)) == [1.0]


def test_108_within_a_tower(strategy):
    def fn():
        strategy.reduce(SUM, tf.constant(1.0), strategy.worker_devices)

    with pytest.raises(RuntimeError, match="within tower 0; use .*merge_call"):
        strategy.call_for_each_tower(fn)


@pytest.mark.parametrize("method", ["reduce", "batch_reduce", "broadcast", "update"])
def test_108_outside_of_the_scope(method, strategy_of):
    arguments = {
        "reduce": (SUM, 1.0, "/device:CPU:0"),
        "batch_reduce": (SUM, []),
        "broadcast": (1.0,),
        "update": (None, None),
    }[method]
    with pytest.raises(RuntimeError, match=r"with strategy.scope\(\)"):
        getattr(strategy_of(2), method)(*arguments)


@pytest.mark.parametrize(("dtype", "kind"), [(tf.int32, "f8"), (tf.float16, "f2")])
def test_099_types_of_a_mean_are_those_of_release_1_11(dtype, kind, strategy, evaluate):
    value = per_tower(strategy, dtype)
    mean = evaluate(strategy.unwrap(strategy.reduce(MEAN, value, value))[1])
    assert (mean, mean.dtype) == (2.5, np.dtype(kind))


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


def test_sums_of_64_bit_integers(strategy, evaluate):
    value = per_tower(strategy, tf.int64)
    total = strategy.reduce(SUM, value, value)
    assert evaluate(strategy.unwrap(total)) == [10] * 4


def test_explain_logs_what_happened(strategy, evaluate, caplog):
    value = per_tower(strategy)
    with strategy.explain_reductions():
        reduced = strategy.reduce(MEAN, value, value)
    with caplog.at_level(logging.INFO, "tpuref"):
        assert evaluate(strategy.unwrap(reduced)) == [2.5] * 4
    (message,) = [one for one in caplog.messages if one.startswith("reduced")]
    assert "by MEAN: tower 0 held 1.; tower 1 held 2." in message
    assert "divided by 4; the result is 2.5" in message


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


def test_explain_in_eager_mode(strategy_of):
    strategy, accounts = strategy_of(2), []
    with tf.eager_execution(), strategy.scope():
        value = per_tower(strategy)
        with strategy.explain_reductions(accounts.append):
            strategy.reduce(MEAN, value, value)
    assert str(accounts[0]) == (
        "reduced the value by MEAN: tower 0 held 1.; tower 1 held 2.; divided by 2; "
        "the result is 1.5"
    )


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


def test_explain_takes_a_function(strategy):
    with pytest.raises(TypeError, match="report must be a function"):
        strategy.explain_reductions("yes")
    with pytest.raises(RuntimeError, match="within tower 0"):
        strategy.call_for_each_tower(strategy.explain_reductions)


def test_sums_of_means_are_warned_of(strategy, caplog):
    def fn():
        return tf.identity(tf.reduce_mean(tf.constant([1.0, 2.0]), name="loss"))

    value = strategy.call_for_each_tower(fn)
    with caplog.at_level(logging.WARNING, "tpuref"):
        strategy.reduce(SUM, value, value)
    (message,) = caplog.messages
    assert "gives 4 times the mean over the whole batch" in message
    assert "MEAN, or divide by 4" in message


def test_other_sums_are_not_warned_of(strategy, caplog):
    value = strategy.call_for_each_tower(lambda: tf.reduce_sum(tf.constant([1.0])))
    means = strategy.call_for_each_tower(lambda: tf.reduce_mean(tf.constant([1.0])))
    with caplog.at_level(logging.WARNING, "tpuref"):
        strategy.reduce(SUM, value, value)
        strategy.reduce(MEAN, means, means)
    assert caplog.messages == []


def test_042_046_broadcast(strategy, evaluate):
    copies = strategy.broadcast(tf.constant(5.0))
    assert isinstance(copies, tf.contrib.distribute.Mirrored)
    parts = strategy.unwrap(copies)
    assert [part.device for part in parts] == strategy.worker_devices
    assert evaluate(parts) == [5.0] * 4
    assert evaluate(copies) == 5.0


def test_043_044_045_broadcast_destinations(strategy):
    devices = strategy.worker_devices
    var = tf.get_variable("var", [])
    for destinations, placed in [
        (var, devices),
        (devices[1], devices[1:2]),
        (devices[:2], devices[:2]),
    ]:
        copies = strategy.broadcast(tf.constant(5.0), destinations)
        assert [part.device for part in strategy.unwrap(copies)] == placed


def test_046_broadcasting_what_differs_is_refused(strategy):
    with pytest.raises(TypeError, match=r"differs from tower to tower.*reduce"):
        strategy.broadcast(per_tower(strategy))


def test_088_map(strategy, evaluate):
    seen = []

    def fn(element, scale, k=0):
        seen.append((element, scale, k))
        return tf.constant(element) * scale

    mapped = strategy.map([1.0, 2.0, 3.0], fn, 10.0, k=1)
    assert seen == [(1.0, 10.0, 1), (2.0, 10.0, 1), (3.0, 10.0, 1)]
    assert evaluate(mapped.get()) == [10.0, 20.0, 30.0]
    assert strategy.unwrap(mapped) == mapped.get()
    assert (len(mapped), repr(mapped)[:9]) == (3, "MapOutput")
    assert strategy.map([], fn).get() == []


def test_088_nothing_mapped_cannot_be_reduced(strategy):
    with pytest.raises(ValueError, match="nothing to combine"):
        strategy.reduce(SUM, strategy.map([], abs), strategy.worker_devices)
