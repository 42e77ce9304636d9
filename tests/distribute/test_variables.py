"""Variables that are made in the scope of a strategy, or in its towers."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER


@pytest.fixture
def strategy(strategy_of):
    """Two towers, in scope."""
    chosen = strategy_of(2)
    with chosen.scope():
        yield chosen


def tower():
    return tf.get_tower_context().tower_id


def test_127_components_are_those_of_release_1_11(strategy, evaluate):
    v = tf.get_variable("v", initializer=2.0)
    assert isinstance(v, tf.contrib.distribute.MirroredVariable)
    assert isinstance(v, tf.Variable)
    parts = strategy.unwrap(v)
    assert [part.name for part in parts] == ["v:0", "v/replica_1:0"]
    assert [part.device for part in parts] == strategy.parameter_devices
    assert tf.global_variables() == tf.trainable_variables() == [v]
    assert evaluate(v) == 2.0


def test_127_components_start_alike(strategy, evaluate):
    v = tf.get_variable("v", [3, 4])
    w = tf.Variable(lambda: tf.random_uniform([3]), name="w")
    for variable in (v, w):
        first, second = evaluate(strategy.unwrap(variable))
        np.testing.assert_array_equal(first, second)
    assert np.std(evaluate(w)) > 0


def test_127_another_thread_is_unaffected(strategy):
    graph, made = tf.get_default_graph(), []

    def work():
        with graph.as_default():
            made.append(tf.Variable(1.0))
            made.append(tf.has_distribution_strategy())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert type(made[0]) is tf.Variable
    assert made[1] is False


def test_variable_scopes_name_and_share(strategy):
    with tf.variable_scope("layer"):
        v = tf.get_variable("v", [2])
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("v", [2]) is v
    assert [part.name for part in strategy.unwrap(v)] == [
        "layer/v:0",
        "layer/v/replica_1:0",
    ]
    with pytest.raises(ValueError, match="already exists"):
        tf.get_variable("layer/v", [2])


def test_properties_are_those_of_a_variable(strategy):
    v = tf.get_variable("v", [2], tf.float16, trainable=False, collections=["mine"])
    assert (v.dtype, v.shape.as_list(), v.trainable) == (tf.float16, [2], False)
    assert v.device == strategy.parameter_devices[0]
    assert tf.get_collection("mine") == [v]
    assert tf.trainable_variables() == tf.global_variables() == []
    assert v.initial_value.shape.as_list() == [2]


def test_loud_repr(strategy):
    v = tf.get_variable("v", [2], aggregation=SUM)
    assert repr(v) == (
        "<MirroredVariable 'v:0' shape=(2,) dtype=float32 aggregation=SUM on "
        f"{', '.join(strategy.worker_devices)}>"
    )


def test_assigning_outside_of_towers_changes_all_components(strategy, evaluate):
    v = tf.get_variable("v", initializer=1.0)
    grown = v.assign_add(2.0)
    assert evaluate(strategy.unwrap(grown)) == [3.0, 3.0]
    evaluate(tf.assign_sub(v, 1.0))
    assert evaluate([c.read_value() for c in strategy.unwrap(v)]) == [2.0, 2.0]


def test_assigning_outside_of_the_scope_changes_all_components(strategy_of, evaluate):
    strategy = strategy_of(2)
    with strategy.scope():
        v = tf.get_variable("v", initializer=1.0)
    assert evaluate(v.assign(5.0)) == 5.0
    assert evaluate([c.read_value() for c in strategy.unwrap(v)]) == [5.0, 5.0]


def test_load_changes_all_components(strategy, session):
    v = tf.get_variable("v", initializer=1.0)
    session.run(v.initializer)
    assert session.run(v.is_initialized())
    v.load(7.0, session)
    assert session.run(strategy.unwrap(v)) == [7.0, 7.0]


@pytest.mark.parametrize(
    ("aggregation", "expected"), [(SUM, 4.0), (MEAN, 2.5), (FIRST, 2.0)]
)
def test_assigning_in_towers_aggregates(aggregation, expected, strategy, evaluate):
    v = tf.get_variable("v", initializer=1.0, aggregation=aggregation)
    grown = strategy.call_for_each_tower(lambda: v.assign_add(tower() + 1.0))
    assert evaluate(strategy.unwrap(grown)) == [expected, expected]


@pytest.mark.parametrize(
    ("aggregation", "expected"), [(SUM, 3.0), (MEAN, 2.0), (FIRST, 2.0)]
)
def test_one_change_in_all_towers(aggregation, expected, strategy, evaluate):
    v = tf.get_variable("v", initializer=1.0, aggregation=aggregation)
    grown = strategy.call_for_each_tower(lambda: v.assign_add(1.0))
    assert evaluate(strategy.unwrap(grown)) == [expected, expected]


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


@pytest.mark.parametrize("towers", [1, 2, 4])
def test_plain_lists_differ_by_tower(towers, strategy_of, session):
    strategy = strategy_of(towers)
    with strategy.scope():
        v = tf.get_variable("v", initializer=[0.0, 0.0], aggregation=SUM)
        changed = strategy.call_for_each_tower(lambda: v.assign_add([1, tower()]))
    session.run(tf.global_variables_initializer())
    expected = [towers, sum(range(towers))]
    for part in session.run(strategy.unwrap(changed)):
        assert part.tolist() == expected


def test_assigning_in_towers_needs_an_aggregation(strategy):
    v = tf.get_variable("v", initializer=1.0)
    with pytest.raises(ValueError, match="make it with aggregation="):
        strategy.call_for_each_tower(lambda: v.assign_add(1.0))


def test_towers_read_their_own_component(strategy, evaluate):
    v = tf.get_variable("v", initializer=1.0)
    evaluate(strategy.unwrap(v)[1].assign(5.0))
    reads = strategy.call_for_each_tower(lambda: v + 0.0)
    assert [t.device for t in strategy.unwrap(reads)] == strategy.worker_devices
    assert evaluate(strategy.unwrap(reads)) == [1.0, 5.0]
    assert evaluate(v + 0.0) == 1.0


@pytest.mark.parametrize("eager", [False, True])
def test_towers_share_the_variables_that_they_make(eager, strategy):
    def fn():
        first = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        return first, tf.Variable(1.0, name="z"), tf.Variable(2.0, name="z")

    with tf.eager_execution() if eager else tf.name_scope(None):
        v, z, other = strategy.call_for_each_tower(fn)
    for variable in (v, z, other):
        assert isinstance(variable, tf.contrib.distribute.MirroredVariable)
    assert z is not other
    assert v.devices == strategy.worker_devices
    if not eager:
        assert tf.global_variables() == [v, z, other]


def test_a_variable_of_a_later_tower_alone(strategy):
    def fn():
        if tower() == 1:
            tf.get_variable("v", [])

    with pytest.raises(ValueError, match="in tower 1 of 2: .*does not exist"):
        strategy.call_for_each_tower(fn)


def test_other_synchronizations(strategy):
    sync = tf.VariableSynchronization
    with pytest.raises(ValueError, match="synchronization .*NONE.* cannot be used"):
        tf.get_variable("v", [], synchronization=sync.NONE)
    local = tf.get_variable("w", [], trainable=True, synchronization=sync.ON_READ)
    assert tf.trainable_variables() == [local]  # as in 1.15.5
    with pytest.raises(ValueError, match="aggregation must be one of"):
        tf.get_variable("x", [], aggregation="sum")
    mirrored = tf.get_variable("y", [], synchronization=sync.ON_WRITE)
    assert isinstance(mirrored, tf.contrib.distribute.MirroredVariable)


def test_outside_of_a_scope_nothing_changes():
    v = tf.get_variable("v", [], aggregation=SUM)
    assert type(v) is tf.Variable
    assert v.aggregation is SUM
    local = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
    assert local.trainable is False


def test_eager_variables(strategy_of):
    strategy = strategy_of(2)
    with tf.eager_execution(), strategy.scope():
        v = tf.Variable([1.0, 2.0], aggregation=SUM)
        strategy.call_for_each_tower(lambda x: v.assign_add(x), tf.constant([1.0, 1.0]))
        np.testing.assert_array_equal(v.numpy(), [3.0, 4.0])
        strategy.update(v, lambda c: c.assign([0.0, 0.0]))
        for component in strategy.unwrap(v):
            np.testing.assert_array_equal(component.numpy(), [0.0, 0.0])


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
