"""Variables that are made in the scope of a strategy, or in its towers."""

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("towers", [1, 2, 4])
@pytest.mark.parametrize(
    ("aggregation", "factor"), [(SUM, None), (MEAN, 1), (FIRST, 1)]
)
def test_plain_numbers_take_the_type_of_the_variable(
    aggregation, factor, towers, eager, strategy_of
):
    def fn():
        with tf.control_dependencies([v.assign(2)]):
            once = v.assign_add(1)
        with tf.control_dependencies([once]):
            return v.assign_sub(np.int32(3))

    strategy, count = strategy_of(towers), factor or towers
    expected = [2.0 * count + count - 3.0 * count] * towers
    if eager:
        with tf.eager_execution(), strategy.scope():
            v = tf.Variable(0.5, aggregation=aggregation)
            changed = strategy.call_for_each_tower(fn)
            assert [float(part) for part in strategy.unwrap(changed)] == expected
        return
    with strategy.scope(), tf.Session() as session:
        v = tf.get_variable("v", initializer=0.5, aggregation=aggregation)
        changed = strategy.unwrap(strategy.call_for_each_tower(fn))
        session.run(tf.global_variables_initializer())
        assert session.run(changed) == expected
        assert session.run(changed) == expected


def test_outside_of_a_scope_nothing_changes():
    v = tf.get_variable("v", [], aggregation=SUM)
    assert type(v) is tf.Variable
    assert v.aggregation is SUM
    local = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
    assert local.trainable is False


def test_creators_are_asked_innermost_first():
    seen = []

    def creator_of(label):
        def creator(next_creator, **arguments):
            seen.append(label)
            return next_creator(**arguments)

        return creator

    with tf.variable_creator_scope(creator_of("outer")):
        with tf.variable_creator_scope(creator_of("inner")):
            v = tf.Variable(1.0, name="v")
        tf.get_variable("w", [])
    assert seen == ["inner", "outer", "outer"]
    assert v.name == "v:0"
