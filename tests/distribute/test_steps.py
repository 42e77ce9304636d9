"""run_steps_on_dataset: steps that run on the cores one after the other."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tpuref as tf

Dataset = tf.data.Dataset
SUM, MEAN = tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER
Pair = namedtuple("Pair", "a b")


@pytest.fixture(params=["lockstep", "pool"], scope="module", autouse=True)
def executor(request: pytest.FixtureRequest) -> Iterator[str]:
    with tf.config.override(executor=request.param):
        yield request.param
    tf.reset_default_graph()


def numbers(count: int) -> Any:
    """Return the dataset of 1.0, 2.0, ..."""
    return Dataset.range(1, count + 1).map(lambda x: tf.cast(x, tf.float32))


def iterator_of(strategy: Any, dataset: Any) -> Any:
    return strategy.distribute_dataset(lambda: dataset).make_one_shot_iterator()


def accumulator(name: str = "total", **arguments: Any) -> Any:
    return tf.get_variable(name, initializer=tf.constant(0.0), **arguments)


@pytest.mark.parametrize("towers", [1, 2, 8])
def test_the_function_is_performed_with_the_next_input(towers, strategy_of) -> None:
    strategy, steps = strategy_of(towers), 3
    with strategy.scope():
        total = accumulator(aggregation=SUM)
        iterator = iterator_of(strategy, numbers(2 * steps * towers))

        def fn(context: Any, x: Any) -> None:
            strategy.call_for_each_tower(total.assign_add, x)

        context = strategy.run_steps_on_dataset(fn, iterator, iterations=steps)
    count = steps * towers
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(strategy.unwrap(total)) == [0.0] * towers
        assert session.run(context.run_op) is None
        expected = sum(range(1, count + 1))
        assert session.run(strategy.unwrap(total)) == [expected] * towers
        session.run(context.run_op)
        expected = sum(range(1, 2 * count + 1))
        assert session.run(strategy.unwrap(total)) == [expected] * towers


@pytest.mark.parametrize("towers", [1, 4])
def test_outputs_of_the_last_step(towers, strategy_of) -> None:
    strategy = strategy_of(towers)
    with strategy.scope():
        iterator = iterator_of(strategy, numbers(3 * towers))

        def tower(context: Any, x: Any) -> Any:
            context.set_last_step_output("mean in tower", x, MEAN)
            return {"twice": x * 2.0}

        def fn(context: Any, x: Any) -> None:
            result = strategy.call_for_each_tower(tower, context, x)
            context.set_last_step_output("own", x)
            context.set_last_step_output("nested", result)
            context.set_last_step_output("sum", x, SUM)
            context.set_last_step_output("first", x, FIRST)
            context.set_last_step_output("same", tf.constant([1, 2]))

        context = strategy.run_steps_on_dataset(fn, iterator, 3)
    last = [2.0 * towers + k for k in range(1, towers + 1)]
    with tf.Session() as session:
        found = session.run(context.last_step_outputs)
    several = towers > 1
    assert found["own"] == (last if several else last[0])
    nested = found["nested"] if several else [found["nested"]]
    assert [part["twice"] for part in nested] == [2 * x for x in last]
    assert found["sum"] == sum(last) and found["first"] == last[0]
    assert found["mean in tower"] == np.mean(last)
    assert found["same"].tolist() == [1, 2]


def test_towers_may_set_outputs_that_are_not_combined(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():

        def tower(context: Any, x: Any) -> None:
            context.set_last_step_output("own", x * 10.0)
            context.set_non_tensor_output("name", "abc")
            context.set_non_tensor_output("id", tf.get_tower_context().tower_id)

        def fn(context: Any, x: Any) -> None:
            strategy.call_for_each_tower(tower, context, x)
            context.set_non_tensor_output("list", [1, 2])

        context = strategy.run_steps_on_dataset(fn, iterator_of(strategy, numbers(2)))
    assert context.non_tensor_outputs["name"] == "abc"
    assert context.non_tensor_outputs["list"] == [1, 2]
    assert strategy.unwrap(context.non_tensor_outputs["id"]) == [0, 1]
    with tf.Session() as session:
        assert session.run(context.last_step_outputs) == {"own": [10.0, 20.0]}


def test_initial_loop_values(strategy_of) -> None:
    strategy = strategy_of(2)
    start = {"kept": tf.constant(7.0), "x": -1.0, "zero steps": [0.5, 1.5]}
    with strategy.scope():
        iterator = iterator_of(strategy, numbers(20))

        def fn(context: Any, x: Any) -> None:
            context.set_last_step_output("x", x)

        once = strategy.run_steps_on_dataset(fn, iterator, 1, start)
        never = strategy.run_steps_on_dataset(fn, iterator, 0, start)
        negative = strategy.run_steps_on_dataset(fn, iterator, -1)
    with tf.Session() as session:
        expected = {"kept": 7.0, "x": [1.0, 2.0], "zero steps": [0.5, 1.5]}
        assert session.run(once.last_step_outputs) == expected
        expected["x"] = [-1.0, -1.0]
        assert session.run(never.last_step_outputs) == expected
        assert session.run(negative.last_step_outputs) == {"x": [0.0, 0.0]}
        assert session.run(once.last_step_outputs)["x"] == [3.0, 4.0]


def test_the_number_of_steps_may_be_a_tensor(strategy_of) -> None:
    strategy, count = strategy_of(2), tf.placeholder(tf.int32, [])
    with strategy.scope():

        def fn(context: Any, x: Any) -> None:
            context.set_last_step_output("x", x)

        iterator = iterator_of(strategy, numbers(20))
        context = strategy.run_steps_on_dataset(fn, iterator, count)
    with tf.Session() as session:
        assert session.run(context.last_step_outputs, {count: 4})["x"] == [7.0, 8.0]
        assert session.run(context.last_step_outputs, {count: 2})["x"] == [11.0, 12.0]


@pytest.mark.parametrize(
    ("structure", "arguments"),
    [
        ((1.0, 2.0), ["float", "float"]),
        ((1.0, (2.0, 3.0)), ["float", "tuple"]),
        ({"x": 1.0, "y": 2.0}, ["dict"]),
        (Pair(1.0, 2.0), ["Pair"]),
        (1.0, ["float"]),
    ],
)
def test_a_tuple_is_unpacked_and_all_else_is_one(
    structure: Any, arguments: Any, strategy_of
) -> None:
    strategy, seen = strategy_of(1), []
    with strategy.scope():

        def fn(context: Any, *inputs: Any) -> None:
            seen.append((context, inputs))

        iterator = iterator_of(strategy, Dataset.from_tensors(structure).repeat())
        context = strategy.run_steps_on_dataset(fn, iterator, 5)
    ((received, inputs),) = seen  # called once, for all steps
    assert received is context and type(context).__name__ == "MultiStepContext"
    kinds = [type(i).__name__ for i in inputs]
    assert kinds == [kind.replace("float", "Tensor") for kind in arguments]


def test_inputs_are_like_those_of_get_next(strategy_of) -> None:
    strategy, seen = strategy_of(2), []
    rows = (np.zeros((4, 3), np.float32), {"y": np.arange(4)})
    with strategy.scope():
        iterator = iterator_of(strategy, Dataset.from_tensor_slices(rows))
        expected = iterator.get_next()
        strategy.run_steps_on_dataset(lambda context, *i: seen.extend(i), iterator)
    for got, wanted in [(seen[0], expected[0]), (seen[1]["y"], expected[1]["y"])]:
        for a, b in zip(strategy.unwrap(got), strategy.unwrap(wanted), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)


def test_an_iterator_of_a_plain_dataset_serves_the_towers_in_turn(strategy_of) -> None:
    strategy = strategy_of(4)
    with strategy.scope():

        def fn(context: Any, x: Any) -> None:
            context.set_last_step_output("x", x)

        iterator = numbers(8).make_one_shot_iterator()
        context = strategy.run_steps_on_dataset(fn, iterator, 2)
    with tf.Session() as session:
        assert session.run(context.last_step_outputs)["x"] == [5.0, 6.0, 7.0, 8.0]


def test_towers_meet_within_a_step(strategy_of) -> None:
    strategy = strategy_of(4)

    def tower(x: Any) -> Any:
        def merge(strategy: Any, x: Any) -> Any:
            return strategy.reduce(SUM, x, destinations=x)

        context = tf.get_tower_context()
        return context.merge_call(merge, x) + float(context.tower_id)

    with strategy.scope():

        def fn(context: Any, x: Any) -> None:
            result = strategy.call_for_each_tower(tower, x)
            context.set_last_step_output("met", result)
            context.set_last_step_output("added", sum(strategy.unwrap(x)))

        iterator = iterator_of(strategy, numbers(8))
        context = strategy.run_steps_on_dataset(fn, iterator, 2)
    with tf.Session() as session:
        found = session.run(context.last_step_outputs)
    assert found == {"met": [26.0, 27.0, 28.0, 29.0], "added": 26.0}


def test_variables_of_all_kinds(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        mirrored = accumulator("mirrored")
        local = accumulator(
            "local",
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=SUM,
        )
        devices = strategy.non_slot_devices([mirrored])
        with strategy.colocate_vars_with(devices):
            count = tf.get_variable("count", initializer=tf.constant(0))

        def fn(context: Any, x: Any) -> None:
            strategy.call_for_each_tower(lambda x: local.assign_add(x), x)
            mean = strategy.reduce(MEAN, x, destinations=mirrored)
            strategy.update(mirrored, lambda v, m: v.assign_add(m), mean)
            strategy.update_non_slot(devices, lambda: count.assign_add(1))

        context = strategy.run_steps_on_dataset(
            fn, iterator_of(strategy, numbers(6)), 3
        )
        read = strategy.read_var(local)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(context.run_op)
        assert session.run(strategy.unwrap(mirrored)) == [10.5, 10.5]
        assert session.run(strategy.unwrap(local)) == [9.0, 12.0]
        assert session.run(read) == 21.0
        assert session.run(strategy.unwrap(count)) == [3, 3]


# --------------------------------------------------------------------------- the end


@pytest.mark.parametrize("plain", [False, True])
def test_the_end_of_the_data_says_how_far_it_reaches(plain: bool, strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        total = accumulator(aggregation=SUM)

        def fn(context: Any, x: Any) -> None:
            strategy.call_for_each_tower(total.assign_add, x)

        dataset = numbers(7)
        iterator = (
            dataset.make_one_shot_iterator()
            if plain
            else iterator_of(strategy, dataset)
        )
        context = strategy.run_steps_on_dataset(fn, iterator, 5)
    message = "5 steps were to be run, and the dataset has input for 3 of them"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.OutOfRangeError, match=message) as caught:
            session.run(context.run_op)
        assert session.run(strategy.unwrap(total)) == [0.0, 0.0]
        with pytest.raises(tf.errors.OutOfRangeError, match="for 0 of them"):
            session.run(context.run_op)
    assert "run_steps_on_dataset" in str(caught.value)


def test_what_a_failed_run_has_taken_does_not_reach_the_next(strategy_of) -> None:
    strategy, limit = strategy_of(2), tf.placeholder(tf.float32, [])
    with strategy.scope():

        def tower(x: Any) -> Any:
            with tf.control_dependencies([tf.Assert(x < limit, [x])]):
                return tf.identity(x)

        def fn(context: Any, x: Any) -> None:
            result = strategy.call_for_each_tower(tower, x)
            context.set_last_step_output("x", result)

        context = strategy.run_steps_on_dataset(
            fn, iterator_of(strategy, numbers(40)), 2
        )
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="in tower [01]"):
            session.run(context.last_step_outputs, {limit: 0.0})
        first, second = session.run(context.last_step_outputs, {limit: 99.0})["x"]
    assert second == first + 1 and first % 2 == 1


def test_an_error_of_the_dataset_reaches_the_caller(strategy_of) -> None:
    strategy = strategy_of(2)

    def generator() -> Iterator[float]:
        yield from [1.0, 2.0, 3.0]
        raise ValueError("broken disk")

    with strategy.scope():
        dataset = Dataset.from_generator(generator, tf.float32, [])
        iterator = iterator_of(strategy, dataset)
        context = strategy.run_steps_on_dataset(lambda context, x: None, iterator, 3)
    broken = pytest.raises(tf.errors.InvalidArgumentError, match="broken disk")
    with tf.Session() as session, broken:
        session.run(context.run_op)


def test_the_caller_initializes_the_iterator(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        dataset = strategy.distribute_dataset(lambda: numbers(4))
        iterator = dataset.make_initializable_iterator()

        def fn(context: Any, x: Any) -> None:
            context.set_last_step_output("x", x)

        context = strategy.run_steps_on_dataset(fn, iterator, 2)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="initializer"):
            session.run(context.run_op)
        for _ in range(2):
            session.run(iterator.initializer)
            assert session.run(context.last_step_outputs)["x"] == [3.0, 4.0]


def test_large_elements_arrive_whole(strategy_of) -> None:
    strategy = strategy_of(2)
    rows = np.arange(40, dtype=np.float32)[:, None] * np.ones(40_000, np.float32)
    with strategy.scope():

        def fn(context: Any, x: Any) -> None:
            totals = strategy.call_for_each_tower(tf.reduce_mean, x)
            context.set_last_step_output("mean", totals)

        iterator = iterator_of(strategy, Dataset.from_tensor_slices(rows))
        context = strategy.run_steps_on_dataset(fn, iterator, 20)
    with tf.Session() as session:
        assert session.run(context.last_step_outputs)["mean"] == [38.0, 39.0]


# ------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("iterations", "error"), [("2", TypeError), (2.5, TypeError), (None, ValueError)]
)
def test_what_is_no_number_of_steps(iterations: Any, error: Any, strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope(), pytest.raises(error):
        strategy.run_steps_on_dataset(
            lambda context, x: None, iterator_of(strategy, numbers(4)), iterations
        )


def test_shapes_have_to_be_known(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        iterator = iterator_of(strategy, numbers(8).batch(2))
        with pytest.raises(ValueError, match=r"fully known shape.*drop_remainder=True"):
            strategy.run_steps_on_dataset(lambda context, x: None, iterator)


def test_arguments_of_another_kind(strategy_of) -> None:
    strategy = strategy_of(2)
    with strategy.scope():
        iterator = iterator_of(strategy, numbers(8))

        def run(fn: Any, *arguments: Any) -> None:
            strategy.run_steps_on_dataset(fn, *arguments)

        def outputs(context: Any, x: Any) -> None:
            context.set_last_step_output("x", x)

        with pytest.raises(TypeError, match="fn must be callable"):
            run(3, iterator)
        with pytest.raises(TypeError, match="iterator must be one of a dataset"):
            run(outputs, numbers(8))
        with pytest.raises(TypeError, match="must be a dict"):
            run(outputs, iterator, 1, [1.0])
        with pytest.raises(TypeError, match=r"initial_loop_values\['x'\] is int32"):
            run(outputs, iterator, 1, {"x": 1})
        with pytest.raises(ValueError, match=r"initial_loop_values\['x'\] is float32"):
            run(outputs, iterator, 1, {"x": [1.0, 2.0, 3.0]})
        with pytest.raises(TypeError, match="positional argument"):
            run(lambda context: None, iterator)
        with pytest.raises(ValueError, match="one of tf.VariableAggregation"):
            run(
                lambda context, x: context.set_last_step_output("x", x, "sum"), iterator
            )
    with pytest.raises(RuntimeError, match="inside of `with strategy.scope"):
        run(outputs, iterator)


def test_an_output_of_unknown_shape_needs_a_first_value(strategy_of) -> None:
    strategy = strategy_of(1)
    with strategy.scope():

        def fn(context: Any, x: Any) -> None:
            context.set_last_step_output("x", tf.range(tf.cast(x, tf.int32)))

        iterator = iterator_of(strategy, numbers(3))
        with pytest.raises(ValueError, match="pass its initial value"):
            strategy.run_steps_on_dataset(fn, iterator)


def test_an_error_in_one_tower_names_it(strategy_of) -> None:
    strategy = strategy_of(4)

    def tower(x: Any) -> Any:
        if tf.get_tower_context().tower_id == 2:
            raise ValueError("no luck")
        return x

    with strategy.scope():
        iterator = iterator_of(strategy, numbers(4))
        with pytest.raises(ValueError, match="in tower 2 of 4: no luck"):
            strategy.run_steps_on_dataset(
                lambda context, x: strategy.call_for_each_tower(tower, x), iterator
            )
        assert tf.get_default_graph().region is None


def test_eager_mode(strategy_of) -> None:
    strategy, calls = strategy_of(2), []
    with tf.eager_execution(), strategy.scope():
        total = tf.Variable(0.0, aggregation=SUM)

        def fn(context: Any, x: Any) -> None:
            calls.append(context)
            strategy.call_for_each_tower(total.assign_add, x)
            context.set_last_step_output("x", x)
            context.set_last_step_output("mean", x, MEAN)

        iterator = iterator_of(strategy, numbers(7))
        context = strategy.run_steps_on_dataset(fn, iterator, 2, {"kept": 1.0})
        found = context.last_step_outputs
        assert [float(v) for v in found["x"]] == [3.0, 4.0]
        assert float(found["mean"]) == 3.5 and found["kept"] == 1.0
        assert calls == [context, context] and float(total.read_value()) == 10.0
        message = "5 steps were to be run, and the dataset has input for 1 of them"
        with pytest.raises(tf.errors.OutOfRangeError, match=message):
            strategy.run_steps_on_dataset(fn, iterator, 5)
