"""Checks of TPUStrategy: reduce, batch_reduce and broadcast."""

import contextlib

from ..clause import beyond_the_words, expect_raises, same
from ..probes import initialise_variables
from .contrib_distribute_tpu_strategy import many_towers
from .tpu_strategy_page import (
    evaluated,
    page,
    per_tower,
    require_devices,
    running_strategy,
    strategy_in_scope,
    tower_context,
    variable,
)


def one_to_four(tf, strategy):
    """Return a per-device value of 1, 2, 3 and 4."""
    return per_tower(tf, strategy, [1.0, 2.0, 3.0, 4.0])


def require_total(tf, session, strategy, value, destinations, devices):
    """Require the sum of 1, 2, 3 and 4, reduced to destinations, on these devices."""
    total = strategy.reduce(tf.VariableAggregation.SUM, value, destinations)
    require_devices(strategy, total, devices)
    same(evaluated(session, strategy, total), [10.0] * len(devices))


def reduced(tf, kind, cores=4):
    """Return 1, 2, ... of as many towers, reduced to the first device."""
    with running_strategy(tf, cores=cores) as (session, strategy):
        value = per_tower(tf, strategy, [1.0 + tower for tower in range(cores)])
        result = strategy.reduce(kind, value, strategy.worker_devices[0])
        return session.run(strategy.unwrap(result))


@page.clause(".reduce/behaviour/combines-across-towers")
def reduce_combines(tf):
    same(reduced(tf, tf.VariableAggregation.SUM), [10.0])
    same(reduced(tf, tf.VariableAggregation.SUM, cores=2), [3.0])
    with running_strategy(tf, cores=2) as (session, strategy):
        values = per_tower(tf, strategy, [[1.0, 2.0], [10.0, 20.0]])
        total = strategy.reduce(tf.VariableAggregation.SUM, values, values)
        same(evaluated(session, strategy, total), [[11.0, 22.0]] * 2)
    # More cores than a host has.
    same(reduced(tf, tf.VariableAggregation.SUM, cores=16), [136.0])


@page.clause(".reduce/args:aggregation/sum")
def reduce_sum(tf):
    same(reduced(tf, tf.VariableAggregation.SUM), [10.0])
    same(reduced(tf, tf.VariableAggregation.SUM, cores=1), [1.0])
    with running_strategy(tf, cores=3) as (session, strategy):
        # Above 2**24 float32 has only every other whole number.
        value = per_tower(tf, strategy, [2**24, 1, 2])
        total = strategy.reduce(tf.VariableAggregation.SUM, value, value)
        same(evaluated(session, strategy, total), [2**24 + 3] * 3)


@page.clause(".reduce/args:aggregation/mean")
def reduce_mean(tf):
    same(reduced(tf, tf.VariableAggregation.MEAN), [2.5])
    same(reduced(tf, tf.VariableAggregation.MEAN, cores=2), [1.5])
    same(reduced(tf, tf.VariableAggregation.MEAN, cores=16), [8.5])
    with running_strategy(tf, cores=4) as (session, strategy):
        whole = per_tower(tf, strategy, [[2, 3], [4, 3], [6, 3], [8, 3]])
        mean = strategy.reduce(tf.VariableAggregation.MEAN, whole, whole)
        means = [[float(n) for n in row] for row in evaluated(session, strategy, mean)]
        same(means, [[5.0, 3.0]] * 4, call="means of integers")


@page.clause(".reduce/args:aggregation/only-first-tower")
def reduce_only_first_tower(tf):
    kind = tf.VariableAggregation.ONLY_FIRST_TOWER
    same(reduced(tf, kind), [1.0])
    with running_strategy(tf, cores=3) as (session, strategy):
        values = per_tower(tf, strategy, [5.0, 6.0, 7.0])
        first = strategy.reduce(kind, values, values)
        same(evaluated(session, strategy, first), [5.0] * 3)


@page.clause(".reduce/args:value/one-value-per-tower")
def reduce_value(tf):
    kinds = tf.VariableAggregation
    with running_strategy(tf, cores=4) as (session, strategy):
        device = strategy.worker_devices[0]
        total = strategy.reduce(kinds.SUM, one_to_four(tf, strategy), device)
        same(session.run(strategy.unwrap(total)), [10.0])
        beyond_the_words()
        two_devices = strategy.broadcast(
            tf.constant(1.0), list(strategy.worker_devices)[:2]
        )
        for unfit in (tf.constant(1.0), 5.0, two_devices):
            expect_raises(ValueError, strategy.reduce, kinds.SUM, unfit, device)


@page.clause(".reduce/args:destinations/mirrored-variable")
def reduce_to_variable(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        target = variable(tf)
        value = one_to_four(tf, strategy)
        devices = [part.device for part in strategy.unwrap(target)]
        require_total(tf, session, strategy, value, target, devices)
        with strategy.colocate_vars_with(list(strategy.parameter_devices)[1:3]):
            on_two = variable(tf, "on_two")
        total = strategy.reduce(tf.VariableAggregation.MEAN, value, on_two)
        require_devices(strategy, total, list(strategy.parameter_devices)[1:3])
        same(evaluated(session, strategy, total), [2.5] * 2)


@page.clause(".reduce/args:destinations/per-device-tensor")
def reduce_to_per_device_tensor(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        there = per_tower(tf, strategy, [0, 0, 0, 0])
        value = one_to_four(tf, strategy)
        require_total(tf, session, strategy, value, there, strategy.worker_devices)
        chosen = [strategy.worker_devices[3], strategy.worker_devices[1]]
        there = strategy.broadcast(tf.constant(0.0), chosen)
        require_total(tf, session, strategy, value, there, chosen)


@page.clause(".reduce/args:destinations/device-string")
def reduce_to_device(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        for device in strategy.worker_devices:
            value = one_to_four(tf, strategy)
            require_total(tf, session, strategy, value, device, [device])
    with on_three_hosts(tf) as (strategy, value):
        for device in strategy.worker_devices:
            total = strategy.reduce(tf.VariableAggregation.SUM, value, device)
            require_devices(strategy, total, [device])


@contextlib.contextmanager
def on_three_hosts(tf):
    """Yield a strategy in scope and a value of its six towers; nothing is run."""
    strategy = many_towers(tf)
    with strategy.scope():
        yield strategy, per_tower(tf, strategy, [1.0] * 6)


@page.clause(".reduce/args:destinations/device-list")
def reduce_to_devices(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        devices = list(strategy.worker_devices)
        for chosen in (devices[1:3], devices, [devices[3]], devices[:1:-1]):
            value = one_to_four(tf, strategy)
            require_total(tf, session, strategy, value, chosen, chosen)
    with on_three_hosts(tf) as (strategy, value):
        chosen = list(strategy.worker_devices)[::-2]
        total = strategy.reduce(tf.VariableAggregation.SUM, value, chosen)
        require_devices(strategy, total, chosen)


@page.clause(".reduce/args:destinations/value-itself-all-reduces")
def reduce_all(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        value = one_to_four(tf, strategy)
        require_total(tf, session, strategy, value, value, strategy.worker_devices)
    with on_three_hosts(tf) as (strategy, value):
        total = strategy.reduce(tf.VariableAggregation.SUM, value, value)
        require_devices(strategy, total, strategy.worker_devices)


@page.clause(".reduce/returns/mirrored")
def reduce_returns_mirrored(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        devices = list(strategy.worker_devices)
        value = one_to_four(tf, strategy)
        for destinations, count in ((devices, 4), (devices[:2], 2), (devices[0], 1)):
            mean = strategy.reduce(tf.VariableAggregation.MEAN, value, destinations)
            require_devices(strategy, mean, devices[:count])
            same(evaluated(session, strategy, mean), [2.5] * count)


@page.clause(".reduce/behaviour/cross-tower-only")
def reduce_cross_tower_only(tf):
    kind = tf.VariableAggregation.SUM

    def in_tower(strategy):
        value = tf.constant(1.0)
        assert tower_context(tf) is not None
        expect_raises(RuntimeError, strategy.reduce, kind, value, value)
        expect_raises(RuntimeError, strategy.batch_reduce, kind, [(value, value)])
        expect_raises(RuntimeError, strategy.broadcast, value)

    with strategy_in_scope(tf, cores=2) as strategy:
        strategy.call_for_each_tower(in_tower, strategy)


@page.clause(".batch_reduce/behaviour/same-as-single-reduces")
def batch_reduce_same(tf):
    kind = tf.VariableAggregation.SUM
    with running_strategy(tf, cores=4) as (session, strategy):
        first = one_to_four(tf, strategy)
        second = per_tower(tf, strategy, [[1.0], [10.0], [100.0], [1000.0]])
        device = strategy.worker_devices[2]
        both = strategy.batch_reduce(kind, [(first, device), (second, second)])
        singly = [
            strategy.reduce(kind, first, device),
            strategy.reduce(kind, second, second),
        ]
        for together, alone in zip(both, singly):
            values = evaluated(session, strategy, together)
            same(values, evaluated(session, strategy, alone))
        same(evaluated(session, strategy, both[1]), [[1111.0]] * 4)
        table = per_tower(tf, strategy, [[[1.0, 2.0], [3.0, 4.0]]] * 4)
        pairs = [(value, device) for value in (table, first, second)]
        totals = [
            evaluated(session, strategy, one)
            for one in strategy.batch_reduce(kind, pairs)
        ]
        same(totals, [[[[4.0, 8.0], [12.0, 16.0]]], [10.0], [[1111.0]]])
        # Matrices of several shapes, none of them square, different in each tower.
        wide = per_tower(
            tf, strategy, [[[k, 2.0, 3.0], [4.0, 5.0, 6.0]] for k in (1.0, 2.0) * 2]
        )
        tall = per_tower(
            tf, strategy, [[[1.0, k], [3.0, 4.0], [5.0, 6.0]] for k in (2.0, 4.0) * 2]
        )
        pairs = [(wide, device), (tall, tall), (wide, wide)]
        totals = [
            evaluated(session, strategy, one)[-1]
            for one in strategy.batch_reduce(kind, pairs)
        ]
        summed = [[6.0, 8.0, 12.0], [16.0, 20.0, 24.0]]
        same(totals, [summed, [[4.0, 12.0], [12.0, 16.0], [20.0, 24.0]], summed])


@page.clause(".batch_reduce/args:aggregation/accepted-values")
def batch_reduce_aggregations(tf):
    kinds = tf.VariableAggregation
    expected = {kinds.SUM: 10.0, kinds.MEAN: 2.5, kinds.ONLY_FIRST_TOWER: 1.0}
    with running_strategy(tf, cores=4) as (session, strategy):
        pairs = [(one_to_four(tf, strategy), strategy.worker_devices[0])]
        for kind in sorted(expected, key=str):
            (result,) = strategy.batch_reduce(kind, pairs)
            same(evaluated(session, strategy, result), [expected[kind]])
        beyond_the_words()
        for unfit in ("sum", 7, None, tf.VariableAggregation.NONE):
            expect_raises(ValueError, strategy.batch_reduce, unfit, pairs)


@page.clause(".batch_reduce/args:value_destination_pairs/sequence-of-pairs")
def batch_reduce_pairs(tf):
    kind = tf.VariableAggregation.SUM
    with running_strategy(tf, cores=4) as (session, strategy):
        value, devices = one_to_four(tf, strategy), list(strategy.worker_devices)
        with strategy.colocate_vars_with(devices[2:]):
            on_two = variable(tf, "on_two")
        targets = [devices[0], devices[1:3], value, on_two]
        pairs = [(value, target) for target in targets]
        expected = (devices[:1], devices[1:3], devices, devices[2:])
        for sequence in (pairs, tuple(pairs)):
            for result, chosen in zip(strategy.batch_reduce(kind, sequence), expected):
                require_devices(strategy, result, chosen)
                same(evaluated(session, strategy, result), [10.0] * len(chosen))


@page.clause(".batch_reduce/returns/one-mirrored-value-per-pair")
def batch_reduce_returns(tf):
    kind = tf.VariableAggregation.SUM
    with running_strategy(tf, cores=2) as (session, strategy):
        values = [per_tower(tf, strategy, [float(i), 1.0]) for i in range(3)]
        results = strategy.batch_reduce(kind, [(one, one) for one in values])
        assert isinstance(results, list), repr(results)
        totals = [evaluated(session, strategy, result) for result in results]
        same(totals, [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        whole = per_tower(tf, strategy, [10, 20])
        mixed = [values[1], whole, values[2], whole]
        results = strategy.batch_reduce(kind, [(one, one) for one in mixed])
        totals = [evaluated(session, strategy, result) for result in results]
        same(totals, [[2.0, 2.0], [30, 30], [3.0, 3.0], [30, 30]])
        same(strategy.batch_reduce(kind, []), [])


@page.clause(".broadcast/behaviour/mirrors-to-workers")
def broadcast_to_workers(tf):
    with running_strategy(tf, cores=3) as (session, strategy):
        for copies in (
            strategy.broadcast(tf.constant(5.0)),
            strategy.broadcast(tf.constant(5.0), destinations=None),
        ):
            require_devices(strategy, copies, strategy.worker_devices)
            same(evaluated(session, strategy, copies), [5.0] * 3)
    with on_three_hosts(tf) as (strategy, _):
        copies = strategy.broadcast(tf.constant(5.0))
        require_devices(strategy, copies, strategy.worker_devices)


@page.clause(".broadcast/args:destinations/mirrored-variable")
def broadcast_to_variable(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        target = variable(tf)
        copies = strategy.broadcast(tf.constant(5.0), target)
        devices = [part.device for part in strategy.unwrap(target)]
        require_devices(strategy, copies, devices)
        with strategy.colocate_vars_with(list(strategy.parameter_devices)[1:3]):
            on_two = variable(tf, "on_two")
        two = strategy.broadcast(tf.constant([6.0, 7.0]), on_two)
        require_devices(strategy, two, list(strategy.parameter_devices)[1:3])
        initialise_variables(tf, session)
        same(evaluated(session, strategy, copies), [5.0] * 4)
        same(evaluated(session, strategy, two), [[6.0, 7.0]] * 2)


@page.clause(".broadcast/args:destinations/device-string")
def broadcast_to_device(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        for device in strategy.worker_devices:
            copies = strategy.broadcast(tf.constant(5.0), device)
            require_devices(strategy, copies, [device])
            same(evaluated(session, strategy, copies), [5.0])


@page.clause(".broadcast/args:destinations/device-list")
def broadcast_to_devices(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        devices = list(strategy.worker_devices)[3:0:-2]
        copies = strategy.broadcast(tf.constant(5.0), destinations=devices)
        require_devices(strategy, copies, devices)
        same(evaluated(session, strategy, copies), [5.0, 5.0])


@page.clause(".broadcast/returns/mirrored-value")
def broadcast_returns_mirrored(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        copies = strategy.broadcast(tf.constant([1.0, 2.0]))
        require_devices(strategy, copies, strategy.worker_devices)
        same(evaluated(session, strategy, copies), [[1.0, 2.0]] * 2)
        # A mirrored value may be an argument of update, a per-device one may not.
        target = variable(tf)
        update = strategy.update(target, lambda v, m: v.assign(m[0] + m[1]), copies)
        initialise_variables(tf, session)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, target), [3.0] * 2)
