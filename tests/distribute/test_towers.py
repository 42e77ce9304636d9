"""Calling a function once per tower, and merge_call between the towers."""

import numpy as np
import pytest

import tpuref as tf


def tower():
    return tf.get_tower_context().tower_id


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_an_error_on_one_core_names_its_replica(executor, strategy):
    index = tf.placeholder(tf.int32, [])

    def fn():
        return tf.gather([1.0, 2.0], index if tower() == 1 else 0)

    with tf.config.override(cores=2, executor=executor):
        values = strategy.unwrap(strategy.call_for_each_tower(fn))
        invalid = pytest.raises(tf.errors.InvalidArgumentError, match="on replica 1: ")
        with tf.Session() as sess, invalid as e:
            sess.run(values, {index: 7})
    assert e.value.op.type == "GatherV2"


def test_059_eager_towers_are_one_program_of_the_cores_by_default(strategy_of):
    strategy = strategy_of(3)

    def fn(x):
        assert not tf.executing_eagerly()
        own = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)  # at each call
        own.assign_add(x)
        total = tf.get_tower_context().merge_call(
            lambda s, v: s.reduce(tf.VariableAggregation.SUM, v, v), own.read_value()
        )
        return {"total": total, "kept": [own, "a text", None]}

    with tf.config.override(cores=3), tf.eager_execution(), strategy.scope():
        strategy.initialize()
        for x in (1.0, 2.0):
            found = strategy.call_for_each_tower(fn, tf.constant(x))
            assert [float(v) for v in strategy.unwrap(found["total"])] == [9 * x] * 3
            assert found["kept"][1:] == ["a text", None]
            assert float(found["kept"][0]) == 3 * x
        strategy.finalize()
        with pytest.raises(tf.errors.FailedPreconditionError):
            strategy.call_for_each_tower(fn, tf.constant(1.0))
        strategy.initialize()


def test_a_tape_around_eager_towers_sees_their_operations(strategy):
    with tf.eager_execution():
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            squares = strategy.call_for_each_tower(lambda: v * v * (tower() + 1.0))
        found = tape.gradient(strategy.unwrap(squares), strategy.unwrap(v))
        assert [float(slope) for slope in found] == [6.0, 12.0]


def test_operations_name_the_users_line(strategy):
    sums = strategy.call_for_each_tower(tf.add, tf.constant(1), tf.constant(2))
    for part in strategy.unwrap(sums):
        assert part.op.site.filename == __file__
        assert "call_for_each_tower(tf.add" in part.op.site.code


@pytest.mark.parametrize(
    "look",
    [lambda x: x.numpy(), float, int, np.asarray],
    ids=("numpy", "float", "int", "array"),
)
def test_eager_towers_see_no_values_but_say_how_to(look, strategy_of):
    strategy, seen = strategy_of(3), []
    with tf.config.override(cores=3), tf.eager_execution(), strategy.scope():
        with pytest.raises(Exception, match="in tower 0 of 3: .*run_functions_eagerly"):
            strategy.call_for_each_tower(look, tf.constant(2.0))
        tf.config.run_functions_eagerly(True)
        try:
            strategy.call_for_each_tower(
                lambda x: seen.append(look(x)), tf.constant(2.0)
            )
        finally:
            tf.config.run_functions_eagerly(False)
    assert seen == [2, 2, 2]


@pytest.mark.parametrize("towers", [1, 2])
def test_a_metric_of_a_tower_counts_what_the_tower_sees(towers, strategy_of, session):
    strategy = strategy_of(towers)
    with strategy.scope():
        _, update = strategy.call_for_each_tower(lambda: tf.metrics.mean([1.0, 2.0]))
        session.run(tf.local_variables_initializer())
        assert session.run(strategy.unwrap(update)) == [1.5] * towers
