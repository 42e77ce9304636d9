"""Small programs of a strategy, each with what it has to give.

They are evaluated on the lockstep interpreter and on the core pool.  The name of each
starts with the numbers of the statements of document 001 that it shows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER

Scenario = Callable[[Any], tuple[Any, Any]]
"""Builds fetches for a strategy, and returns them with the values expected."""


def per_tower(strategy, scale=1.0):
    """The values 1, 2, 3, ... of the towers, times a number."""

    def own():
        return tf.constant(scale * (tf.get_tower_context().tower_id + 1.0))

    return strategy.call_for_each_tower(own)


def total(strategy):
    return sum(range(1, strategy.num_towers + 1))


def mean(strategy):
    return total(strategy) / strategy.num_towers


def merge_sum(distribution, three_plus_tower_id):
    return sum(distribution.unwrap(three_plus_tower_id))


def s055_documented_merge_call(strategy):
    def fn(three):
        tower_ctx = tf.get_tower_context()
        v = three + tower_ctx.tower_id
        s = tower_ctx.merge_call(merge_sum, v)
        return s + v

    merged = strategy.call_for_each_tower(fn, tf.constant(3))
    n = strategy.num_towers
    everyone = sum(3 + k for k in range(n))
    return strategy.unwrap(merged), [everyone + 3 + k for k in range(n)]


def s028_documented_device_index(strategy):
    def fn(device_id):
        assert isinstance(device_id, int)
        assert tf.constant(0).device == strategy.worker_devices[device_id]
        return tf.constant(device_id)

    ids = strategy.call_for_each_tower(fn, strategy.worker_device_index)
    return strategy.unwrap(ids), list(range(strategy.num_towers))


def s054_two_merge_calls(strategy):
    def both(distribution, x):
        return distribution.reduce(SUM, x, x)

    def fn():
        context = tf.get_tower_context()
        first = context.merge_call(both, tf.constant(context.tower_id + 1.0))
        return context.merge_call(both, first * (context.tower_id + 1.0))

    once = total(strategy)
    twice = once * once
    merged = strategy.call_for_each_tower(fn)
    return strategy.unwrap(merged), [twice] * strategy.num_towers


def s053_merge_results_per_tower(strategy):
    def fn():
        context = tf.get_tower_context()
        own = tf.constant(context.tower_id)
        return context.merge_call(lambda distribution, x: x, own)

    merged = strategy.call_for_each_tower(fn)
    return strategy.unwrap(merged), list(range(strategy.num_towers))


def s098_reduce_sum(strategy):
    value = per_tower(strategy)
    reduced = strategy.reduce(SUM, value, strategy.worker_devices)
    return strategy.unwrap(reduced), [total(strategy)] * strategy.num_towers


def s099_reduce_mean(strategy):
    value = per_tower(strategy)
    reduced = strategy.reduce(MEAN, value, strategy.worker_devices)
    return strategy.unwrap(reduced), [mean(strategy)] * strategy.num_towers


def s100_reduce_first(strategy):
    value = per_tower(strategy)
    reduced = strategy.reduce(FIRST, value, strategy.worker_devices)
    return strategy.unwrap(reduced), [1.0] * strategy.num_towers


def s103_s106_all_reduce(strategy):
    value = per_tower(strategy)
    reduced = strategy.reduce(SUM, value, value)
    return strategy.unwrap(reduced), [total(strategy)] * strategy.num_towers


def s104_reduce_to_one_device(strategy):
    last = strategy.worker_devices[-1]
    reduced = strategy.reduce(MEAN, per_tower(strategy), last)
    (result,) = strategy.unwrap(reduced)
    assert result.device == last
    return result, mean(strategy)


def s104_reduce_to_the_host(strategy):
    host = strategy.get_host_cpu_device(0)
    (result,) = strategy.unwrap(strategy.reduce(SUM, per_tower(strategy), host))
    assert result.device == host
    return result, total(strategy)


def s037_batch_reduce(strategy):
    pairs = [
        (per_tower(strategy), strategy.worker_devices),
        (per_tower(strategy, 10.0), strategy.worker_devices[0]),
    ]
    one, ten = strategy.batch_reduce(SUM, pairs)
    n, all_towers = strategy.num_towers, total(strategy)
    return (
        [strategy.unwrap(one), strategy.unwrap(ten)],
        [[all_towers] * n, [10 * all_towers]],
    )


def s042_broadcast(strategy):
    copies = strategy.unwrap(strategy.broadcast(tf.constant(5.0)))
    assert [c.device for c in copies] == strategy.worker_devices
    return copies, [5.0] * strategy.num_towers


def s134_update_mirrored(strategy):
    var = tf.get_variable("var", initializer=1.0)
    change = strategy.reduce(SUM, per_tower(strategy), var)
    updated = strategy.update(var, lambda v, d: v.assign_add(d), change)
    return strategy.unwrap(updated), [1.0 + total(strategy)] * strategy.num_towers


def s066_documented_colocation(strategy):
    var1 = tf.get_variable("var1", initializer=1.0)
    with strategy.colocate_vars_with(var1):
        var2 = tf.get_variable("var2", initializer=10.0)
        var3 = tf.get_variable("var3", initializer=100.0)
    updated = strategy.update(var1, lambda v, a, b: v.assign_add(a + b), var2, var3)
    return strategy.unwrap(updated), [111.0] * strategy.num_towers


def s092_update_non_slot(strategy):
    devices = strategy.non_slot_devices([])
    with strategy.colocate_vars_with(devices):
        b = tf.get_variable("b", initializer=1.0)
    grown = strategy.update_non_slot(devices, lambda: b.assign_add(1.0))
    return strategy.unwrap(grown), [2.0] * strategy.num_towers


def s095_tower_local_sum(strategy):
    v = tf.get_variable(
        "v",
        initializer=0.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=SUM,
    )

    def fn():
        return v.assign(tf.get_tower_context().tower_id + 1.0)

    with tf.control_dependencies(strategy.unwrap(strategy.call_for_each_tower(fn))):
        return strategy.read_var(v), total(strategy)


def s095_tower_local_mean(strategy):
    v = tf.get_variable(
        "v",
        initializer=0.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=MEAN,
    )

    def fn():
        return v.assign(tf.get_tower_context().tower_id + 1.0)

    with tf.control_dependencies(strategy.unwrap(strategy.call_for_each_tower(fn))):
        return strategy.read_var(v), mean(strategy)


def s127_assign_in_towers(strategy):
    v = tf.get_variable("v", initializer=1.0, aggregation=SUM)

    def fn():
        return v.assign_add(tf.get_tower_context().tower_id + 1.0)

    grown = strategy.call_for_each_tower(fn)
    return strategy.unwrap(grown), [1.0 + total(strategy)] * strategy.num_towers


def s127_variable_made_in_towers(strategy):
    def fn():
        w = tf.get_variable("w", [2, 3], initializer=tf.random_normal_initializer())
        return w - w.read_value()

    zeros = strategy.call_for_each_tower(fn)
    return strategy.unwrap(zeros), [[[0.0] * 3] * 2] * strategy.num_towers


def s088_map(strategy):
    mapped = strategy.map([1.0, 2.0, 3.0], lambda x, k: tf.constant(x * k), 10.0)
    added = strategy.reduce(SUM, mapped, strategy.worker_devices[0])
    averaged = strategy.reduce(MEAN, mapped, strategy.worker_devices[0])
    return (
        [strategy.unwrap(mapped), strategy.unwrap(added), strategy.unwrap(averaged)],
        [[10.0, 20.0, 30.0], [60.0], [20.0]],
    )


def s086_group(strategy):
    v = tf.get_variable(
        "v",
        initializer=0.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=SUM,
    )
    assigned = strategy.call_for_each_tower(lambda: v.assign_add(1.0, read_value=False))
    with tf.control_dependencies([strategy.group(assigned)]):
        return strategy.read_var(v), float(strategy.num_towers)


def s056_callables(strategy):
    class Model:
        def fn(self, x):
            return x + tf.get_tower_context().tower_id

    bound = strategy.call_for_each_tower(Model().fn, tf.constant(1))
    partial = strategy.call_for_each_tower(
        functools.partial(tf.add, tf.constant(1)), strategy.worker_device_index
    )
    expected = [1 + k for k in range(strategy.num_towers)]
    return [strategy.unwrap(bound), strategy.unwrap(partial)], [expected, expected]


def s057_per_device_arguments(strategy):
    own, three = per_tower(strategy), tf.constant(3.0)
    results = strategy.call_for_each_tower(
        lambda nest, x: nest["a"][0] * x, {"a": [own]}, three
    )
    return strategy.unwrap(results), [3.0 * (k + 1) for k in range(strategy.num_towers)]


def cross_tower_arithmetic_in_between(strategy):
    """Values go from the cores to the host, to the cores, and so on."""

    def fn(x):
        context = tf.get_tower_context()
        for _ in range(3):
            x = context.merge_call(merge_sum, x) / context.num_towers
        return x * (context.tower_id + 1.0)

    results = strategy.call_for_each_tower(fn, per_tower(strategy))
    return strategy.unwrap(results), [
        mean(strategy) * (k + 1) for k in range(strategy.num_towers)
    ]


def a_plain_variable_of_several_towers(strategy):
    """The towers' changes of a variable with one component follow one another."""
    counter = _plain_variable(0.0)
    counted = strategy.call_for_each_tower(lambda: counter.assign_add(1.0))
    with tf.control_dependencies(strategy.unwrap(counted)):
        return counter.read_value(), float(strategy.num_towers)


def _plain_variable(value):
    from tpuref.engine.graph.context import context

    kept, context.creators = context.creators, []
    try:
        return tf.Variable(value, name="plain")
    finally:
        context.creators = kept


def different_shapes_in_the_towers(strategy):
    def fn():
        return tf.ones([tf.get_tower_context().tower_id + 1])

    ones = strategy.call_for_each_tower(fn)
    return strategy.unwrap(ones), [[1.0] * (k + 1) for k in range(strategy.num_towers)]


def different_dtypes_in_the_towers(strategy):
    def fn():
        odd = tf.get_tower_context().tower_id % 2
        return tf.cast(tf.constant([1, 2]), tf.float64 if odd else tf.int32)

    values = strategy.call_for_each_tower(fn)
    return strategy.unwrap(values), [[1, 2]] * strategy.num_towers


def branches_and_loops_in_the_towers(strategy):
    def fn():
        tower = tf.get_tower_context().tower_id
        x = tf.constant(tower)
        y = tf.cond(tf.equal(x, 0), lambda: x + 100, lambda: x + 200)
        return tf.while_loop(lambda i: i < 1000, lambda i: i * 2, [y])

    values = strategy.call_for_each_tower(fn)
    return strategy.unwrap(values), [_doubled(k) for k in range(strategy.num_towers)]


def _doubled(tower):
    value = tower + (200 if tower else 100)
    while value < 1000:
        value *= 2
    return value


def inside_a_replicated_computation(strategy):
    """The towers work in a loop on the cores, without the host."""
    w = tf.get_variable("w", initializer=0.0, aggregation=SUM)

    def body(i, last):
        def fn():
            context = tf.get_tower_context()
            own = tf.cast(i, tf.float32) + context.tower_id
            w.assign_add(own)
            return tf.identity(context.merge_call(merge_sum, own))

        sums = strategy.call_for_each_tower(fn)
        averaged = strategy.reduce(MEAN, sums, sums)
        return i + 1, strategy.unwrap(averaged)[0]

    def computation():
        return tf.while_loop(
            lambda i, _: i < 4, body, [tf.constant(0), tf.constant(0.0)]
        )[1]

    n = strategy.num_towers
    out = tf.tpu.replicate(computation, [[] for _ in range(n)])
    last = float(sum(3 + k for k in range(n)))
    everything = float(sum(i + k for i in range(4) for k in range(n)))
    with tf.control_dependencies([value for (value,) in out]):
        values = [v.read_value() for v in strategy.unwrap(w)]
    return [out, values], [[(last,)] * n, [everything] * n]


SCENARIOS: tuple[Scenario, ...] = (
    s028_documented_device_index,
    s037_batch_reduce,
    s042_broadcast,
    s053_merge_results_per_tower,
    s054_two_merge_calls,
    s055_documented_merge_call,
    s056_callables,
    s057_per_device_arguments,
    s066_documented_colocation,
    s086_group,
    s088_map,
    s092_update_non_slot,
    s095_tower_local_mean,
    s095_tower_local_sum,
    s098_reduce_sum,
    s099_reduce_mean,
    s100_reduce_first,
    s103_s106_all_reduce,
    s104_reduce_to_one_device,
    s104_reduce_to_the_host,
    s127_assign_in_towers,
    s127_variable_made_in_towers,
    s134_update_mirrored,
    a_plain_variable_of_several_towers,
    branches_and_loops_in_the_towers,
    cross_tower_arithmetic_in_between,
    different_dtypes_in_the_towers,
    different_shapes_in_the_towers,
    inside_a_replicated_computation,
)
