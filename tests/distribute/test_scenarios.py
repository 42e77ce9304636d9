"""Small programs of a strategy, on both executors, for one to eight towers."""

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN


def merge_sum(distribution, three_plus_tower_id):
    return sum(distribution.unwrap(three_plus_tower_id))


def s127_variable_made_in_towers(strategy):
    def fn():
        w = tf.get_variable("w", [2, 3], initializer=tf.random_normal_initializer())
        return w - w.read_value()

    zeros = strategy.call_for_each_tower(fn)
    return strategy.unwrap(zeros), [[[0.0] * 3] * 2] * strategy.num_towers


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


SCENARIOS = (
    s127_variable_made_in_towers,
    different_dtypes_in_the_towers,
    different_shapes_in_the_towers,
    inside_a_replicated_computation,
)

TOWERS = [1, 2, 4, 8]


def check(scenario, strategy):
    with tf.Graph().as_default(), strategy.scope(), tf.Session() as sess:
        fetches, expected = scenario(strategy)
        sess.run(tf.global_variables_initializer())
        got = tf.nest.flatten(sess.run(fetches))
    wanted = (
        tf.nest.flatten(expected)
        if len(got) == len(tf.nest.flatten(expected))
        else expected
    )
    assert len(got) == len(wanted)
    for value, right in zip(got, wanted, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-6)


@pytest.mark.parametrize("towers", TOWERS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_in_lockstep(scenario, towers, strategy_of):
    with tf.config.override(cores=towers, executor="lockstep"):
        check(scenario, strategy_of(towers))


@pytest.mark.parametrize("towers", TOWERS)
def test_on_the_pool(towers, strategy_of):
    """All of them use the same core processes."""
    with tf.config.override(cores=towers, executor="pool"):
        for scenario in SCENARIOS:
            check(scenario, strategy_of(towers))
