"""The statements of document 001 about datasets and steps, one by one."""

from __future__ import annotations

import numpy as np
import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
Dataset = tf.data.Dataset


@pytest.fixture
def strategy(strategy_of):
    """Two towers, in scope."""
    chosen = strategy_of(2)
    with chosen.scope():
        yield chosen


def counting():
    """The numbers 1., 2., 3., ... one by one."""
    return Dataset.range(1, 1000).map(lambda x: tf.cast(x, tf.float32))


def iterator_of(strategy, dataset_fn=counting):
    return strategy.distribute_dataset(dataset_fn).make_one_shot_iterator()


def test_035_the_methods_used_in_the_document(evaluate):
    dataset = tf.data.Dataset.from_tensors([[1.0]]).repeat()
    element = dataset.make_one_shot_iterator().get_next()
    for _ in range(3):
        np.testing.assert_array_equal(evaluate(element), [[1.0]])


def test_070_071_towers_get_consecutive_elements(strategy_of, evaluate):
    strategy = strategy_of(4)
    with strategy.scope():
        element = iterator_of(strategy, lambda: Dataset.range(8)).get_next()
        results = strategy.call_for_each_tower(lambda x: x + 0, element)
    assert evaluate(strategy.unwrap(results)) == [0, 1, 2, 3]
    assert evaluate(strategy.unwrap(results)) == [4, 5, 6, 7]


def test_072_the_function_is_called_without_arguments(strategy):
    calls = []

    def dataset_fn(*args, **kwargs):
        calls.append((args, kwargs))
        return counting()

    strategy.distribute_dataset(dataset_fn)
    assert calls == [((), {})]
    with pytest.raises(TypeError):
        strategy.distribute_dataset(counting())
    with pytest.raises(ValueError, match="Dataset"):
        strategy.distribute_dataset(lambda: 5)


def test_073_per_device_dataset(strategy):
    distributed = strategy.distribute_dataset(counting)
    assert type(distributed).__name__ == "PerDeviceDataset"
    assert callable(distributed.make_one_shot_iterator)


def test_074_documented_example(strategy_of, evaluate):
    distribution_strategy = strategy_of(2)

    def tower_fn(x):
        return x * 2.0

    def dataset_fn():
        return tf.data.Dataset.from_tensors([[1.0]]).repeat()

    with distribution_strategy.scope():
        distributed_dataset = distribution_strategy.distribute_dataset(dataset_fn)
        iterator = distributed_dataset.make_one_shot_iterator()
        tower_results = distribution_strategy.call_for_each_tower(
            tower_fn, iterator.get_next()
        )
    for _ in range(2):
        results = evaluate(distribution_strategy.unwrap(tower_results))
        np.testing.assert_array_equal(results, [[[2.0]], [[2.0]]])


def test_112_117_121_iterations(strategy, evaluate):
    seen = tf.get_variable("seen", initializer=0.0, aggregation=SUM)
    calls = []

    def body(x):
        calls.append(tf.get_tower_context().tower_id)
        return seen.assign_add(x)

    def step(context, x):
        strategy.call_for_each_tower(body, x)

    context = strategy.run_steps_on_dataset(step, iterator_of(strategy), iterations=3)
    assert isinstance(context.run_op, tf.Operation)
    assert evaluate(seen) == 0.0
    evaluate(context.run_op)
    assert evaluate(seen) == float(sum(range(1, 7)))
    assert calls == [0, 1]


def test_110_one_iteration_by_default(strategy, evaluate):
    seen = tf.get_variable("seen", initializer=0.0, aggregation=SUM)

    def step(context, x):
        strategy.call_for_each_tower(lambda x: seen.assign_add(1.0), x)

    evaluate(strategy.run_steps_on_dataset(step, iterator_of(strategy)).run_op)
    assert evaluate(seen) == 2.0


def test_113_120_the_context_comes_first(strategy):
    received = []
    context = strategy.run_steps_on_dataset(
        lambda *args: received.append(args), iterator_of(strategy)
    )
    ((first, *inputs),) = received
    assert first is context
    assert type(context).__name__ == "MultiStepContext"
    assert len(inputs) == 1


def test_114_a_tuple_is_unpacked(strategy):
    def pairs():
        return Dataset.zip((counting(), counting()))

    def step(context, x, y):
        strategy.call_for_each_tower(lambda x, y: x + y, x, y)

    strategy.run_steps_on_dataset(step, iterator_of(strategy, pairs))


def test_115_116_anything_else_is_one_argument(strategy):
    received = []

    def mappings():
        return counting().map(lambda x: {"a": x, "b": tf.stack([x, x])})

    strategy.run_steps_on_dataset(
        lambda context, x: received.append(x), iterator_of(strategy, mappings)
    )
    (given,) = received
    assert sorted(given) == ["a", "b"]
    (a, *_), (b, *_) = (strategy.unwrap(given[key]) for key in "ab")
    assert (a.dtype, a.shape.as_list()) == (tf.float32, [])
    assert (b.dtype, b.shape.as_list()) == (tf.float32, [2])


def test_118_the_caller_initializes(strategy, session):
    iterator = strategy.distribute_dataset(counting).make_initializable_iterator()
    context = strategy.run_steps_on_dataset(lambda context, x: None, iterator)
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(context.run_op)
    session.run(iterator.initializer)
    session.run(context.run_op)


def test_119_initial_loop_values(strategy, evaluate):
    start = {"s": tf.constant(7.0)}
    context = strategy.run_steps_on_dataset(
        lambda context, x: None, iterator_of(strategy), 2, start
    )
    assert evaluate(context.last_step_outputs["s"]) == 7.0

    def step(context, x):
        total = strategy.reduce(SUM, x, strategy.worker_devices)
        context.set_last_step_output("s", strategy.unwrap(total)[0])

    context = strategy.run_steps_on_dataset(step, iterator_of(strategy), 2, start)
    assert evaluate(context.last_step_outputs["s"]) == 7.0  # of 3. and 4.


def test_122_last_step_outputs(strategy, evaluate):
    def step(context, x):
        context.set_last_step_output("loss", x, aggregation=SUM)

    context = strategy.run_steps_on_dataset(step, iterator_of(strategy), 3)
    assert sorted(context.last_step_outputs) == ["loss"]
    assert evaluate(context.last_step_outputs["loss"]) == 11.0  # of 5. and 6.


def test_123_non_tensor_outputs(strategy):
    def step(context, x):
        context.set_non_tensor_output("tag", "abc")

    context = strategy.run_steps_on_dataset(step, iterator_of(strategy))
    assert context.non_tensor_outputs == {"tag": "abc"}
