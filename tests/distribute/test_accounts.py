"""Checks of TPUStrategy: how tpuref reduces, and the account that it gives of it."""

import logging

import numpy as np
import pytest
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.tpu_strategy_page import (
    eager_strategy,
    evaluated,
    per_tower,
    require_devices,
    running_strategy,
    strategy_in_scope,
    tower_context,
    variable,
)

from ..messages import refused, require_words

pytestmark = pytest.mark.usefixtures("both_executors")


@pytest.fixture
def logged(caplog):
    """A function that returns the messages about reductions since its last call."""
    caplog.set_level(logging.INFO, "tpuref")

    def messages():
        found = [message for message in caplog.messages if "reduce" in message]
        caplog.clear()
        return found

    return messages


def sums(tf):
    """Return the operations of the graph that are sums over towers."""
    operations = tf.get_default_graph().get_operations()
    return [operation for operation in operations if operation.type == "TowerSum"]


def test_explained(tf):
    kinds, accounts = tf.VariableAggregation, []

    def reduced(kind, towers):
        value = per_tower(tf, strategy, towers)
        with strategy.explain_reductions(accounts.append):
            result = strategy.reduce(kind, value, value)
        return value, evaluated(session, strategy, result)

    with running_strategy(tf, cores=4) as (session, strategy):
        value, mean = reduced(kinds.MEAN, [1.0, 2.0, 3.0, 6.0])
        same(mean, [3.0] * 4)
        # One account, however many components are asked for.
        same(len(accounts), 1)
        account = accounts.pop()
        same(account.name, strategy.unwrap(value)[0].name)
        same(account.aggregation is kinds.MEAN, True)
        same(list(account.towers), [1.0, 2.0, 3.0, 6.0])
        same((account.divisor, account.result), (4, np.float32(3.0)))
        same(
            str(account),
            "reduced Const:0 by MEAN: tower 0 held 1.; tower 1 held 2.; tower 2 held "
            "3.; tower 3 held 6.; divided by 4; the result is 3.",
        )
        pairs = [(value, value), (value, strategy.worker_devices[1])]
        with strategy.explain_reductions(accounts.append):
            both = strategy.batch_reduce(kinds.SUM, pairs)
        require_devices(strategy, both[1], strategy.worker_devices[1:2])
        same(evaluated(session, strategy, both[1]), [12.0])
        same([(one.divisor, float(one.result)) for one in accounts], [(1, 12.0)])
        reduced(kinds.ONLY_FIRST_TOWER, [[float(i)] * 7 for i in range(4)])
        require_words(
            str(accounts[-1]),
            [
                "tower 3 held [3., 3., ..., 3., 3.]; divided by 1; ",
                "the result is [0., 0., ..., 0., 0.]",
            ],
        )
        reduced(kinds.SUM, [[float(i)] * 6 for i in range(4)])
        words = ["tower 1 held [1., 1., 1., 1., 1., 1.]; tower 2"]
        require_words(str(accounts[-1]), words)
        operations = tf.get_default_graph().get_operations()
        told = {op.device for op in operations if op.type == "PyFunc"}
        same(told, {strategy.worker_devices[0]})


def test_explained_in_log(tf, logged):
    kind = tf.VariableAggregation.SUM
    with running_strategy(tf, cores=2) as (session, strategy):
        value = per_tower(tf, strategy, [1.0, 2.0])
        total = strategy.reduce(kind, value, value)
        same(evaluated(session, strategy, total), [3.0] * 2)
        (total,) = strategy.batch_reduce(kind, [(value, value)])
        same(evaluated(session, strategy, total), [3.0] * 2)
        same(logged(), [])
        with strategy.explain_reductions():
            total = strategy.reduce(kind, value, value)
        same(evaluated(session, strategy, total), [3.0] * 2)
        (message,) = logged()
        require_words(
            message,
            [
                "by SUM: tower 0 held 1.; tower 1 held 2.; ",
                "divided by 1; the result is 3.",
            ],
        )
        for unfit in ("yes", 1, 0, [print]):
            expect_raises(TypeError, strategy.explain_reductions, unfit)


def test_explained_eagerly(tf):
    accounts = []
    with eager_strategy(tf) as strategy:
        value = per_tower(tf, strategy, [1.0, 2.0])
        kind = tf.VariableAggregation.MEAN
        with strategy.explain_reductions(accounts.append):
            mean = strategy.reduce(kind, value, value)
        same([float(part.numpy()) for part in strategy.unwrap(mean)], [1.5, 1.5])
    same(
        [str(account) for account in accounts],
        [
            "reduced the value by MEAN: tower 0 held 1.; tower 1 held 2.; divided by "
            "2; the result is 1.5"
        ],
    )


def test_warns_of_means(tf, logged):
    kinds = tf.VariableAggregation

    def passed_on():
        mean = tf.reduce_mean(tf.constant([1.0, 2.0]), name="loss")
        return tf.cast(tf.reshape(tf.negative(tf.identity(mean)), [1]), tf.float64)

    def doubled():
        return tf.reduce_mean(tf.constant([1.0, 2.0])) * 2.0

    def in_one_tower():
        values = tf.constant([1.0, 2.0])
        if tower_context(tf).tower_id == 1:
            return tf.reduce_sum(values)
        return tf.reduce_mean(values)

    with strategy_in_scope(tf, cores=2) as strategy:
        for fn in (doubled, in_one_tower, lambda: tf.constant([1.0, 2.0])):
            value = strategy.call_for_each_tower(fn)
            strategy.reduce(kinds.SUM, value, value)
        means = strategy.call_for_each_tower(passed_on)
        strategy.reduce(kinds.MEAN, means, means)
        strategy.reduce(kinds.ONLY_FIRST_TOWER, means, means)
        same(logged(), [])
        strategy.reduce(kinds.SUM, means, means)
        (message,) = logged()
        require_words(
            message,
            [
                "SUM of " + strategy.unwrap(means)[0].name + ",",
                "each of the 2 towers, gives 2 times the mean over the whole batch;",
                "MEAN, or divide by 2",
            ],
        )
    with eager_strategy(tf) as strategy:
        means = strategy.call_for_each_tower(tf.reduce_mean, tf.constant([1.0]))
        strategy.reduce(kinds.SUM, means, means)
        require_words(logged()[0], ["SUM of a value,", "each of the 2 towers"])
    with strategy_in_scope(tf, cores=1) as strategy:
        mean = strategy.call_for_each_tower(passed_on)
        strategy.reduce(kinds.SUM, mean, mean)
        same(logged(), [])


def test_few_sums(tf, session, strategy):
    kinds = tf.VariableAggregation
    anything = tf.placeholder(tf.float32, [None])
    scalar = per_tower(tf, strategy, [1.0, 2.0])
    table = per_tower(tf, strategy, [[[1.0, 2.0], [3.0, 4.0]], [[9.0] * 2] * 2])
    empty = per_tower(tf, strategy, [np.zeros([0, 3], np.float32)] * 2)
    unknown = strategy.call_for_each_tower(lambda: anything * 1.0)
    three = strategy.map([1.0, 2.0, 3.0], tf.constant)
    one = strategy.map([7.0], tf.constant)
    values = [scalar, unknown, table, per_tower(tf, strategy, [1, 2]), empty, table]
    values += [three, three, one, one]
    pairs = [(value, strategy.worker_devices[1]) for value in values]
    results = strategy.batch_reduce(kinds.SUM, pairs)
    # float32 and int32 together; the unknown shape and the mapped values alone
    same((results.collectives, len(sums(tf))), (7, 7))
    # Together on the first tower, alone where the result goes.
    first, second = strategy.worker_devices
    same([op.device for op in sums(tf)], [first] + [second] * 6)
    parts = [strategy.unwrap(result)[0] for result in results]
    same([part.device for part in parts], [second] * 10)
    both = [[10.0, 11.0], [12.0, 13.0]]
    expected = [3.0, [8.0, 10.0], both, 3, np.zeros([0, 3], np.float32), both]
    expected += [6.0, 6.0, 7.0, 7.0]
    same(session.run(parts, {anything: [4.0, 5.0]}), expected)
    first = strategy.batch_reduce(kinds.ONLY_FIRST_TOWER, pairs[:1] + pairs[2:3])
    same((first.collectives, len(sums(tf))), (0, 7))
    found = [evaluated(session, strategy, one)[0] for one in first]
    same(found, [1.0, [[1.0, 2.0], [3.0, 4.0]]])
    alone = strategy.batch_reduce(
        kinds.MEAN, [(scalar, [second, strategy.worker_devices[0]])]
    )
    same((alone.collectives, sums(tf)[-1].device), (1, second))
    same(evaluated(session, strategy, alone[0]), [1.5, 1.5])
    same(strategy.batch_reduce(kinds.SUM, []).collectives, 0)


def test_refused_values(tf):
    kinds = tf.VariableAggregation

    def different(strategy, values):
        return strategy.call_for_each_tower(
            lambda: tf.constant(values[tower_context(tf).tower_id])
        )

    with strategy_in_scope(tf, cores=2) as strategy:
        device = strategy.worker_devices[0]
        kept = tf.contrib.distribute.PerDevice({device: 1.0})
        named = reversed(strategy.worker_devices)
        other = tf.contrib.distribute.PerDevice(dict.fromkeys(named, 1.0))
        for value, words in (
            (tf.constant(1.0), ["2 towers", "one value for all towers", "tf.identity"]),
            (5, ["2 towers", "got 5, one value for all towers"]),
            (strategy.broadcast(tf.constant(1.0)), ["needs no reduction"]),
            (variable(tf, "v"), ["strategy.read_var(variable)"]),
            (kept, ["each of the 2 towers", "got 1 components"]),
            (other, ["each of the 2 towers", "got 2 components"]),
            (strategy.map([], abs), ["nothing to combine"]),
            (different(strategy, [1.0, 2]), ["tower 0 has", "tower 1 has"]),
            (different(strategy, [[1.0], [1.0, 2.0]]), ["tower 0 has", "tower 1 has"]),
            (strategy.map([1], lambda x: object()), ["must be tensors"]),
        ):
            refused(ValueError, words, strategy.reduce, kinds.SUM, value, device)
        for kind in (kinds.SUM, kinds.MEAN):
            text = different(strategy, ["a", "b"])
            words = [kind.name + " takes numbers, the towers hold string;"]
            refused(ValueError, words, strategy.reduce, kind, text, device)
            truth = different(strategy, [True, False])
            words = [kind.name + " takes numbers, the towers hold bool;"]
            refused(ValueError, words, strategy.reduce, kind, truth, device)
        strategy.reduce(kinds.ONLY_FIRST_TOWER, text, device)
    with strategy_in_scope(tf, cores=1) as strategy:
        # A single tower has plain values, but a variable must be read first.
        strategy.reduce(kinds.SUM, tf.constant(1.0), strategy.worker_devices)
        for unfit in (variable(tf, "w"), strategy.broadcast(tf.constant(1.0))):
            expect_raises(
                ValueError, strategy.reduce, kinds.SUM, unfit, strategy.worker_devices
            )


def test_destinations(tf):
    kind = tf.VariableAggregation.SUM
    with strategy_in_scope(tf, cores=4) as strategy:
        devices = list(strategy.worker_devices)
        value = per_tower(tf, strategy, [1.0, 2.0, 3.0, 4.0])
        for given, expected in (
            ("/device:TPU:2", [devices[2]]),
            ("/task:0/device:TPU:1", [devices[1]]),
            (["/device:TPU:3", devices[0], "/device:TPU:0"], [devices[3], devices[0]]),
            (("/device:TPU:1",), [devices[1]]),
            ("/device:CPU:0", ["/device:CPU:0"]),
            ("/job:other/device:CPU:1", ["/job:other/device:CPU:1"]),
            ("/device:XLA_CPU:0", ["/device:XLA_CPU:0"]),
            (strategy.unwrap(value)[2], [devices[2]]),
        ):
            require_devices(strategy, strategy.reduce(kind, value, given), expected)
        for unfit in (None, [], 5, [None], [devices]):
            words = ["reduce: destinations must be a variable"]
            refused(ValueError, words, strategy.reduce, kind, value, unfit)
        for unfit in ("/device:TPU:4", "/task:1/device:TPU:0", "/job:a/device:TPU:0"):
            words = ["reduce: " + repr(unfit) + " is no device of the strategy"]
            refused(ValueError, words, strategy.reduce, kind, value, unfit)
        expect_raises(ValueError, strategy.reduce, kind, value, "nonsense")
        for pair in (value, (value,), (value, value, value), [1.0], None):
            words = ["batch_reduce: value_destination_pairs must be pairs"]
            refused(ValueError, words, strategy.batch_reduce, kind, [pair])


def test_map_devices(tf, strategy):
    seen = []

    def fn(element, shared, scale=0):
        seen.append((element, shared.device, scale))
        return tf.constant(element)

    first, second = strategy.worker_devices
    shared = strategy.broadcast(tf.constant(1.0))
    mapped = strategy.map([1.0, 2.0, 3.0, 4.0, 5.0], fn, shared, scale=7)
    same(seen[:3], [(1.0, first, 7), (2.0, second, 7), (3.0, first, 7)])
    places = [tensor.device for tensor in mapped.get()]
    same(places, [first, second, first, second, first])
    same((len(mapped), repr(mapped)[:10]), (5, "MapOutput("))
    same(strategy.unwrap(mapped)[1] is mapped.get()[1], True)
    same(strategy.map([], fn).get(), [])
    differing = per_tower(tf, strategy, [1.0, 2.0])
    words = ["map: PerDevice", "differs from tower to tower", "strategy.reduce"]
    refused(TypeError, words, strategy.map, [1.0], fn, differing)
    refused(TypeError, words, strategy.map, [1.0], fn, shared, scale=differing)
    expect_raises(RuntimeError, strategy.call_for_each_tower, strategy.map, [], fn)


def test_explained_assignments_and_ends(tf):
    accounts, kind = [], tf.VariableAggregation.SUM
    with running_strategy(tf, cores=4) as (session, strategy):
        v = variable(tf, aggregation=kind)
        value = per_tower(tf, strategy, [1.0, 2.0, 3.0, 4.0])
        with strategy.explain_reductions(accounts.append):
            grown = strategy.call_for_each_tower(v.assign_add, value)
        session.run(v.initializer)
        session.run(strategy.group(grown))
        same([float(account.result) for account in accounts], [10.0])
        total = strategy.reduce(kind, value, value)  # after the block: no account
        same(evaluated(session, strategy, total), [10.0] * 4)
        same(len(accounts), 1)
