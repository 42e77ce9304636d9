"""Small programs of a strategy, on both executors, for one to eight towers."""

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN


def different_values_in_the_towers(strategy):
    """Arrays whose shapes and dtypes are those of their tower."""

    def fn():
        number = tf.get_tower_context().tower_id
        return tf.ones([number + 1], tf.float64 if number % 2 else tf.int32)

    ones = strategy.call_for_each_tower(fn)
    return strategy.unwrap(ones), [[1] * (k + 1) for k in range(strategy.num_towers)]


def inside_a_replicated_computation(strategy):
    """The towers work in a loop on the cores, without the host."""
    w = tf.get_variable("w", initializer=0.0, aggregation=SUM)

    def body(i, last):
        def fn():
            context = tf.get_tower_context()
            own = tf.cast(i, tf.float32) + context.tower_id
            w.assign_add(own)
            return tf.identity(context.merge_call(lambda d, x: sum(d.unwrap(x)), own))

        sums = strategy.call_for_each_tower(fn)
        return i + 1, strategy.unwrap(strategy.reduce(MEAN, sums, sums))[0]

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


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
@pytest.mark.parametrize("towers", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "scenario", [different_values_in_the_towers, inside_a_replicated_computation]
)
def test_scenarios(scenario, towers, executor, strategy_of):
    strategy = strategy_of(towers)
    with (
        tf.config.override(cores=towers, executor=executor),
        strategy.scope(),
        tf.Session() as session,
    ):
        fetches, expected = scenario(strategy)
        session.run(tf.global_variables_initializer())
        for got, wanted in zip(session.run(fetches), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
