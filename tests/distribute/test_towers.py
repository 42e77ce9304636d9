"""Calling a function once per tower, and merge_call between the towers."""

from __future__ import annotations

import collections
import threading

import numpy as np
import pytest

import tpuref as tf

TOWERS = [1, 2, 4, 8]
SUM = tf.VariableAggregation.SUM


def tower():
    return tf.get_tower_context().tower_id


@pytest.mark.parametrize("towers", TOWERS)
def test_048_050_once_per_tower_in_order(towers, strategy_of):
    strategy, ids = strategy_of(towers), []
    with strategy.scope():
        strategy.call_for_each_tower(lambda: ids.append(tower()))
    assert ids == list(range(towers))


def test_049_the_tower_context(strategy_of):
    strategy = strategy_of(2)

    def fn():
        context = tf.get_tower_context()
        assert context.distribution_strategy is strategy
        assert tf.get_distribution_strategy() is strategy
        assert not tf.in_cross_tower_context()
        return context.tower_id, context.num_towers, context.is_single_tower, context

    with strategy.scope():
        ids, towers, single, contexts = strategy.call_for_each_tower(fn)
    assert (strategy.unwrap(ids), towers, single) == ([0, 1], 2, False)
    first, second = strategy.unwrap(contexts)
    assert first is not second
    assert [first.device, second.device] == strategy.worker_devices


def test_051_merge_fn_is_in_cross_tower_context(strategy_of):
    strategy, seen = strategy_of(2), []

    def merge(distribution, x):
        seen.append(tf.get_tower_context())
        assert distribution is strategy
        assert tf.in_cross_tower_context()
        return distribution.reduce(SUM, x, x)

    def fn():
        return tf.get_tower_context().merge_call(merge, tf.constant(1.0))

    with strategy.scope():
        strategy.call_for_each_tower(fn)
    assert seen == [None]


def test_052_towers_pause_at_a_merge_call(strategy_of):
    strategy, events = strategy_of(2), []

    def fn():
        context = tf.get_tower_context()
        events.append(f"before{context.tower_id}")
        context.merge_call(lambda distribution: events.append("merge"))
        events.append(f"after{context.tower_id}")

    with strategy.scope():
        strategy.call_for_each_tower(fn)
    assert events == ["before0", "before1", "merge", "after0", "after1"]


def test_053_results_are_unwrapped_for_each_tower(strategy_of):
    strategy, plain = strategy_of(2), object()

    def fn():
        context = tf.get_tower_context()
        own = context.merge_call(lambda distribution, x: {"own": [x]}, context.tower_id)
        assert context.merge_call(lambda distribution: plain) is plain
        return own["own"][0]

    with strategy.scope():
        assert strategy.unwrap(strategy.call_for_each_tower(fn)) == [0, 1]


def test_051_arguments_of_merge_call(strategy_of):
    strategy, seen = strategy_of(2), []

    def merge(distribution, v, k):
        seen.append((type(v).__name__, distribution.unwrap(v), distribution.unwrap(k)))

    with strategy.scope():
        strategy.call_for_each_tower(
            lambda: tf.get_tower_context().merge_call(merge, tower(), k=tower() * 10)
        )
    assert seen == [("PerDevice", [0, 1], [0, 10])]


@pytest.mark.parametrize("towers", TOWERS)
def test_055_documented_example(towers, strategy_of):
    def merge_fn(distribution, three_plus_tower_id):
        return sum(distribution.unwrap(three_plus_tower_id))

    def fn(three):
        tower_ctx = tf.get_tower_context()
        v = three + tower_ctx.tower_id
        s = tower_ctx.merge_call(merge_fn, v)
        return s + v

    distribution = strategy_of(towers)
    with distribution.scope():
        ...
        merged_results = distribution.call_for_each_tower(fn, 3)
    total = sum(3 + k for k in range(towers))
    values = distribution.unwrap(merged_results)
    assert type(values) is list
    assert values == [total + 3 + k for k in range(towers)]


def test_054_different_numbers_of_merge_calls_name_the_towers(strategy_of):
    strategy = strategy_of(4)

    def fn():
        if tower() in (0, 2):
            tf.get_tower_context().merge_call(lambda distribution: None)

    with strategy.scope(), pytest.raises(RuntimeError, match="towers 0, 2 are") as info:
        strategy.call_for_each_tower(fn)
    assert "towers 1, 3 are over" in str(info.value)
    assert "tower 1 made 0" in str(info.value)
    assert threading.active_count() == _threads_without_towers()


def _threads_without_towers():
    return sum(not t.name.startswith("tower ") for t in threading.enumerate())


def test_an_error_in_one_tower_names_it(strategy_of):
    strategy = strategy_of(4)

    def fn():
        context = tf.get_tower_context()
        if context.tower_id == 2:
            raise ValueError("no luck")
        context.merge_call(lambda distribution: None)

    with strategy.scope(), pytest.raises(ValueError, match="in tower 2 of 4: no luck"):
        strategy.call_for_each_tower(fn)
    assert threading.active_count() == _threads_without_towers()


@pytest.mark.parametrize("error", [KeyError("k"), KeyError(), OSError("file")])
def test_an_error_of_any_class_names_its_tower(error, strategy_of):
    strategy = strategy_of(2)

    def fn():
        raise error

    with strategy.scope(), pytest.raises(type(error), match="in tower 0 of 2"):
        strategy.call_for_each_tower(fn)


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_an_error_on_one_core_names_the_tower(executor, strategy_of):
    strategy = strategy_of(2)
    index = tf.placeholder(tf.int32, [])

    def fn():
        return tf.gather([1.0, 2.0], index if tower() == 1 else 0)

    with tf.config.override(cores=2, executor=executor), strategy.scope():
        values = strategy.unwrap(strategy.call_for_each_tower(fn))
        with (
            tf.Session() as sess,
            pytest.raises(tf.errors.InvalidArgumentError, match="in tower 1: ") as info,
        ):
            sess.run(values, {index: 7})
    assert info.value.op.name == "tower_1/GatherV2"


def test_056_functions_must_be_callable(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        with pytest.raises(TypeError, match="fn must be callable, got int 5"):
            strategy.call_for_each_tower(5)
        with pytest.raises(TypeError):
            strategy.call_for_each_tower()


def test_057_058_arguments(strategy_of):
    strategy, seen = strategy_of(2), []
    with strategy.scope():
        strategy.call_for_each_tower(
            lambda *args, **kwargs: seen.append((args, kwargs)), 3, 4, a=1
        )
        index = strategy.worker_device_index
        own = strategy.call_for_each_tower(lambda d: d["a"][1], {"a": (0, index)})
    assert seen == [((3, 4), {"a": 1})] * 2
    assert strategy.unwrap(own) == [0, 1]


@pytest.mark.parametrize("concurrently", [True, False])
def test_059_run_concurrently_in_a_graph_changes_nothing(concurrently, strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        merged = strategy.call_for_each_tower(tower, run_concurrently=concurrently)
    assert strategy.unwrap(merged) == [0, 1]


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
            totals = [float(v) for v in strategy.unwrap(found["total"])]
            assert totals == [9 * x] * 3
            assert found["kept"][1:] == ["a text", None]
            assert float(found["kept"][0]) == 3 * x
        strategy.finalize()
        with pytest.raises(tf.errors.FailedPreconditionError):
            strategy.call_for_each_tower(fn, tf.constant(1.0))
        strategy.initialize()


def test_a_tape_around_eager_towers_sees_their_operations(strategy_of):
    strategy = strategy_of(2)
    with tf.eager_execution(), strategy.scope():
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            squares = strategy.call_for_each_tower(lambda: v * v * (tower() + 1.0))
        found = tape.gradient(strategy.unwrap(squares), strategy.unwrap(v))
        assert [float(slope) for slope in found] == [6.0, 12.0]


def test_059_eager_towers_one_after_the_other(strategy_of):
    strategy, inside, most = strategy_of(4), [], []

    def fn(x):
        inside.append(tower())
        most.append(len(inside))
        inside.pop()
        return x * (tower() + 1.0)

    with tf.eager_execution(), strategy.scope():
        values = strategy.call_for_each_tower(
            fn, tf.constant(2.0), run_concurrently=False
        )
        found = [v.numpy() for v in strategy.unwrap(values)]
    assert (most, found) == ([1] * 4, [2.0, 4.0, 6.0, 8.0])


def test_a_function_for_each_tower_is_one_program_of_the_cores(strategy_of):
    strategy, traced = strategy_of(3), []

    @tf.function
    def fn(x, by=1.0):
        traced.append(tower())
        return v.assign_add(x * (tower() + by))

    with tf.eager_execution(), strategy.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
        for x, total in ((1.0, 6.0), (2.0, 18.0)):
            strategy.call_for_each_tower(fn, tf.constant(x))
            assert v.numpy() == total
        strategy.call_for_each_tower(fn, tf.constant(1.0), by=0.0)
        assert v.numpy() == 21.0
    assert traced == [0, 1, 2] * 2


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("returned", "merged"),
    [
        (lambda: (tower(), 7), "tuple[PerDevice[0, 1], 7]"),
        (lambda: [tower(), 7], "list[PerDevice[0, 1], 7]"),
        (lambda: {"a": tower(), "b": 7}, "dict{a: PerDevice[0, 1], b: 7}"),
        (
            lambda: {"a": [tower(), (1, tower())]},
            "dict{a: list[PerDevice[0, 1], tuple[1, PerDevice[0, 1]]]}",
        ),
        (lambda: (), "tuple[]"),
        (lambda: [], "list[]"),
        (lambda: Pair(tower(), 2), "Pair[PerDevice[0, 1], 2]"),
        (lambda: None, "None"),
        (lambda: 5, "5"),
        (lambda: "s", "'s'"),
    ],
)
def test_060_merged_results_are_those_of_release_1_11(returned, merged, strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        assert _told(strategy.call_for_each_tower(returned)) == merged


def _told(value):
    if isinstance(value, tf.contrib.distribute.PerDevice):
        return f"PerDevice{value.components}"
    if isinstance(value, dict):
        inner = ", ".join(f"{k}: {_told(v)}" for k, v in value.items())
        return f"dict{{{inner}}}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{', '.join(map(_told, value))}]"
    return repr(value)


@pytest.mark.parametrize(
    "returned",
    [lambda: [1] * (tower() + 1), lambda: [1] if tower() else (1,)],
    ids=["length", "type"],
)
def test_060_different_structures_are_an_error(returned, strategy_of):
    strategy = strategy_of(2)
    with (
        strategy.scope(),
        pytest.raises(ValueError, match="tower 0 and tower 1 returned different"),
    ):
        strategy.call_for_each_tower(returned)


def test_060_a_single_tower_gives_plain_results(strategy_of):
    strategy = strategy_of(1)
    with strategy.scope():
        merged = strategy.call_for_each_tower(lambda: (tower(), tf.constant(1)))
    assert merged[0] == 0
    assert isinstance(merged[1], tf.Tensor)


def test_names_of_operations_are_those_of_release_1_11(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        k = strategy.call_for_each_tower(lambda: tf.constant(1, name="k"))
    assert [tensor.name for tensor in strategy.unwrap(k)] == ["k:0", "tower_1/k:0"]


def test_calls_within_a_tower_are_refused(strategy_of):
    strategy = strategy_of(2)

    def fn():
        strategy.call_for_each_tower(tower)

    with strategy.scope(), pytest.raises(RuntimeError, match="merge_call"):
        strategy.call_for_each_tower(fn)


def test_calls_within_a_merge_function(strategy_of):
    strategy = strategy_of(2)

    def merge(distribution):
        return distribution.call_for_each_tower(tower)

    with strategy.scope():
        merged = strategy.call_for_each_tower(
            lambda: tf.get_tower_context().merge_call(merge)
        )
    assert strategy.unwrap(merged) == [0, 1]


def test_outside_of_the_scope(strategy_of):
    with pytest.raises(RuntimeError, match=r"with strategy.scope\(\)"):
        strategy_of(2).call_for_each_tower(tower)


def test_merge_call_within_a_branch_is_refused(strategy_of):
    strategy = strategy_of(2)

    def fn():
        def branch():
            return tf.get_tower_context().merge_call(lambda d: tf.constant(1))

        return tf.cond(tf.constant(True), branch, lambda: tf.constant(0))

    with strategy.scope(), pytest.raises(RuntimeError, match=r"tf.cond"):
        strategy.call_for_each_tower(fn)


def test_merge_call_of_another_tower_is_refused(strategy_of):
    strategy, contexts = strategy_of(2), []

    def fn():
        contexts.append(tf.get_tower_context())
        if tower() == 1:
            contexts[0].merge_call(lambda distribution: None)

    with strategy.scope(), pytest.raises(RuntimeError, match="outside of the tower's"):
        strategy.call_for_each_tower(fn)


def test_scopes_around_hold_in_the_towers(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope(), tf.name_scope("outer"), tf.Session() as sess:
        before = tf.no_op()

        def fn():
            assert tf.get_default_session() is sess
            with tf.variable_scope(None, "layer"):
                return tf.get_variable("v", []), tf.constant(1, name="k")

        with tf.control_dependencies([before]):
            v, k = strategy.call_for_each_tower(fn)
    assert [t.name for t in strategy.unwrap(k)] == [
        "outer/layer/k:0",
        "outer/tower_1/layer/k:0",
    ]
    assert all(before in t.op.control_inputs for t in strategy.unwrap(k))
    assert v.name == "layer/v:0"


def test_a_replicated_computation_of_another_size_is_refused(strategy_of):
    strategy = strategy_of(4)

    def computation():
        strategy.call_for_each_tower(tower)

    with strategy.scope(), pytest.raises(RuntimeError, match="there must be 4"):
        tf.tpu.replicate(computation, [[], []])


def test_operations_name_the_users_line(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
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
def test_a_metric_of_a_tower_counts_what_the_tower_sees(towers, strategy_of):
    strategy = strategy_of(towers)
    with strategy.scope():
        _, update = strategy.call_for_each_tower(lambda: tf.metrics.mean([1.0, 2.0]))
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            assert session.run(strategy.unwrap(update)) == [1.5] * towers
