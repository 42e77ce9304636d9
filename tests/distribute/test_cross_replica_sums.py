"""tf.tpu.cross_replica_sum in a tower: the towers are the replicas."""

import numpy as np
import pytest

import tpuref as tf

from .conftest import numbers

pytestmark = pytest.mark.usefixtures("both_executors")
TOWERS = [1, 2, 4]
SUM = tf.VariableAggregation.SUM


def number():
    return tf.constant(tf.get_tower_context().tower_id + 1.0)


def total(strategy):
    return sum(range(1, strategy.num_towers + 1))


def values_of(strategy, fn, session):
    return session.run(strategy.unwrap(strategy.call_for_each_tower(fn)))


def test_the_kth_sums_of_the_towers_belong_together(strategy, session, caplog):
    def fn():
        first = tf.tpu.cross_replica_sum(number(), name="first")
        assert first.device == tf.get_tower_context().device
        return tf.tpu.cross_replica_sum(first * number(), name="second")

    once = total(strategy)
    values = strategy.unwrap(strategy.call_for_each_tower(fn))
    for _ in range(2):
        assert session.run(values) == [once * once] * strategy.num_towers
    assert session.run(values[-1]) == once * once
    assert caplog.messages == []
    assert tf.get_default_graph().get_tensor_by_name("first:0").shape == []


def test_within_steps(strategy, evaluate):
    def tower(x):
        return tf.tpu.cross_replica_sum(tf.tpu.cross_replica_sum(x) + x) - x

    def step(context, x):
        grown = strategy.call_for_each_tower(v.assign_add, x)
        with tf.control_dependencies([strategy.group(grown)]):
            context.set_last_step_output("x", strategy.call_for_each_tower(tower, x))

    v = tf.get_variable("v", initializer=0.0, aggregation=SUM)
    context = strategy.run_steps_on_dataset(step, numbers(strategy), 3)
    count = strategy.num_towers
    for run in range(2):
        last = [float((3 * run + 2) * count + k + 1) for k in range(count)]
        both = sum(last) * count + sum(last)
        outputs = strategy.unwrap(context.last_step_outputs["x"])
        assert evaluate(outputs) == [both - x for x in last]
    assert evaluate(v) == sum(range(1, 6 * count + 1))


def test_in_eager_mode(strategy):
    with tf.eager_execution():
        for concurrently in (True, False):
            values = strategy.call_for_each_tower(
                lambda: tf.tpu.cross_replica_sum(number()),
                run_concurrently=concurrently,
            )
            found = [float(value) for value in strategy.unwrap(values)]
            assert found == [total(strategy)] * strategy.num_towers


def test_dictionaries_and_components(strategy, session):
    count = strategy.num_towers

    def fn():
        own = {"a": number(), "b": {"c": [1, 2]}}
        if tf.get_tower_context().tower_id % 2:
            own = dict(reversed(own.items()))
        parts = tf.contrib.distribute.PerReplica([10.0 * k for k in range(count)])
        return tf.tpu.cross_replica_sum(own), tf.tpu.cross_replica_sum(parts)

    summed, components = strategy.call_for_each_tower(fn)
    for part in session.run(strategy.unwrap(summed["b"]["c"])):
        np.testing.assert_array_equal(part, [count, 2 * count])
    assert session.run(strategy.unwrap(summed["a"])) == [total(strategy)] * count
    expected = [10.0 * sum(range(count))] * count
    assert session.run(strategy.unwrap(components)) == expected


def test_one_tensor_for_all_towers_counts_for_each(strategy, session):
    shared = tf.constant(3.0)
    values = values_of(strategy, lambda: tf.tpu.cross_replica_sum(shared), session)
    assert values == [3.0 * strategy.num_towers] * strategy.num_towers


def test_narrow_floats_are_rounded_once(four, session):
    def fn():
        x = tf.constant([2048.0, 1.0, 1.0, 1.0][tf.get_tower_context().tower_id])
        return tf.tpu.cross_replica_sum(tf.cast(x, tf.float16))

    assert values_of(four, fn, session) == [np.float16(2051.0)] * 4


@pytest.mark.parametrize("eager", [False, True])
def test_different_numbers_of_sums(eager, four):
    def fn():
        for _ in range(1 + (tf.get_tower_context().tower_id == 2)):
            tf.tpu.cross_replica_sum(number())

    message = (
        r"different numbers of cross_replica_sum: tower 2 is at a cross_replica_sum "
        r"while towers 0, 1, 3 are over \(tower 0 made 1, tower 1 made 1, tower 2 "
        r"made 2, tower 3 made 1\)"
    )

    def run():
        with four.scope(), pytest.raises(RuntimeError, match=message):
            four.call_for_each_tower(fn)

    if eager:
        with tf.eager_execution():
            run()
    else:
        run()
        with pytest.raises(RuntimeError, match=message):
            four.run_steps_on_dataset(
                lambda context, x: four.call_for_each_tower(fn), numbers(four)
            )


def test_sums_that_do_not_belong_together(four):
    def merge_or_sum():
        context = tf.get_tower_context()
        if context.tower_id == 1:
            context.merge_call(lambda distribution: None)
        else:
            tf.tpu.cross_replica_sum(number())

    message = "towers 0, 2, 3 are at a cross_replica_sum while tower 1 is at a merge_c"
    with pytest.raises(RuntimeError, match=message):
        four.call_for_each_tower(merge_or_sum)

    def groups():
        rows = [[[0, 1], [2, 3]], [[0, 2], [1, 3]]]
        tf.tpu.cross_replica_sum(number(), rows[tf.get_tower_context().tower_id // 2])

    with pytest.raises(
        RuntimeError, match=r"towers 2, 3 are at .* \(\(0, 2\), \(1, 3\)\)"
    ):
        four.call_for_each_tower(groups)
    with pytest.raises(ValueError, match="the towers' values differ"):
        four.call_for_each_tower(
            lambda: tf.tpu.cross_replica_sum(
                tf.ones([1 + tf.get_tower_context().tower_id])
            )
        )


@pytest.mark.parametrize(
    ("x", "groups", "error", "message"),
    [
        (1.0, [[0, 1]], ValueError, "omits replica 2"),
        (1.0, [0, 1, 2, 3], ValueError, "two dimensions"),
        (True, None, TypeError, "cannot sum Const:0 bool"),
        (np.int64(1), None, TypeError, "cannot sum Const:0 int64"),
        (tf.contrib.distribute.PerReplica([1.0]), None, ValueError, "1 components"),
    ],
)
def test_what_cannot_be_summed(x, groups, error, message, four):
    with pytest.raises(error, match=message):
        four.call_for_each_tower(lambda: tf.tpu.cross_replica_sum(x, groups))


def test_branches_of_a_tower(four):
    def fn():
        x = number()
        return tf.cond(x > 1.0, lambda: tf.tpu.cross_replica_sum(x), lambda: x)

    message = "cross_replica_sum was made within tf.cond or tf.while_loop of tower 0"
    with pytest.raises(RuntimeError, match=message):
        four.call_for_each_tower(fn)
