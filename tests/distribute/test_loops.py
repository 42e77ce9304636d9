"""Checks of TPUStrategy: datasets and steps, as far as tpuref defines them itself."""

import time

import numpy as np
import pytest
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.probes import eager_mode, initialise_variables
from tpuref_conformance.suite.contrib_distribute_tpu_strategy_steps import (
    from_one,
    one_shot_for_towers,
)
from tpuref_conformance.suite.tpu_strategy_page import (
    evaluated,
    local_strategy,
    running_strategy,
    size,
    strategy_in_scope,
    tower_context,
    variable,
)

from ..messages import refused, require_words

pytestmark = pytest.mark.usefixtures("both_executors")


def giving(name="x"):
    """Return a step that gives out its input."""
    return lambda context, x: context.set_last_step_output(name, x)


def test_dataset_structure(tf, session, strategy):
    rows = {
        "x": np.zeros([4, 3], np.float32),
        "y": (np.arange(4, dtype=np.int32), np.ones(4)),
    }
    dataset = strategy.distribute_dataset(
        lambda: tf.data.Dataset.from_tensor_slices(rows)
    )
    iterator = dataset.make_one_shot_iterator()
    for known, kind in ((dataset, "PerDeviceDataset"), (iterator, "PerDeviceIterator")):
        types, shapes = known.output_types, known.output_shapes
        same(
            (types["x"].name, [one.name for one in types["y"]]),
            ("float32", ["int32", "float64"]),
        )
        same((shapes["x"].as_list(), shapes["y"][0].as_list()), ([3], []))
        require_words(repr(known), ["<" + kind + " for 2 towers, each with", "x: (3,)"])
    element = iterator.get_next()
    same(evaluated(session, strategy, element["y"][0]), [0, 1])
    same(evaluated(session, strategy, element["x"])[1], [0.0, 0.0, 0.0])
    ragged = strategy.distribute_dataset(
        lambda: tf.data.Dataset.range(1, 3).map(tf.range)
    )
    element = ragged.make_one_shot_iterator().get_next()
    parts = session.run(strategy.unwrap(element))
    same([part.tolist() for part in parts], [[0], [0, 1]])


def test_dataset_iterators(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        dataset = strategy.distribute_dataset(lambda: from_one(tf, 5))
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next(name="taken")
        expect_raises(
            tf.errors.FailedPreconditionError, evaluated, session, strategy, element
        )
        for _ in range(2):
            session.run(iterator.initializer)
            same(evaluated(session, strategy, element), [1.0, 2.0])
        same(evaluated(session, strategy, element), [3.0, 4.0])
        expect_raises(tf.errors.OutOfRangeError, evaluated, session, strategy, element)
        refused(RuntimeError, ["eager mode", "get_next()"], next, iterator)
        assert iter(iterator) is iterator
    with size(tf, 2), eager_mode(tf):
        strategy = local_strategy(tf)
        with strategy.scope():
            dataset = strategy.distribute_dataset(lambda: from_one(tf, 5))
            pairs = [
                [float(v.numpy()) for v in strategy.unwrap(one)] for one in dataset
            ]
            same(pairs, [[1.0, 2.0], [3.0, 4.0]])
            iterator = dataset.make_one_shot_iterator()
            for expected in pairs:
                taken = strategy.unwrap(iterator.get_next())
                same([float(v.numpy()) for v in taken], expected)
            expect_raises(tf.errors.OutOfRangeError, iterator.get_next)
            words = ["in eager mode an iterator starts by itself"]
            refused(ValueError, words, lambda: iterator.initializer)
    with size(tf, 1), eager_mode(tf):
        strategy = local_strategy(tf)
        dataset = strategy.distribute_dataset(lambda: from_one(tf, 2))
        same([float(one.numpy()) for one in dataset], [1.0, 2.0])


def counted(tf, shape, dtype, made):
    """Return a dataset without an end that notes each element in ``made``."""

    def elements():
        while True:
            made.append(1)
            yield np.zeros([2 if size is None else size for size in shape], dtype)

    return tf.data.Dataset.from_generator(elements, tf.as_dtype(dtype), shape)


def test_works_ahead(tf, session, strategy):
    cases = (
        ([3], np.float32, 16),
        ([0], np.float32, 16),
        ([1 << 20], np.float32, 8),
        ([17 << 20], np.int8, 2),
        ([None], np.float32, 2),
    )
    counts, elements = [], []
    for shape, dtype, _ in cases:
        made = []
        dataset = strategy.distribute_dataset(
            lambda s=shape, d=dtype, made=made: counted(tf, s, d, made)
        )
        element = dataset.make_one_shot_iterator().get_next()
        counts.append(made)
        elements.append(strategy.unwrap(element)[0].op)
    session.run(elements)
    # What was taken and what waits, of each of two towers.
    expected = [2 * (1 + steps) for _, _, steps in cases]
    deadline = time.monotonic() + 20.0
    while any(len(made) < most for made, most in zip(counts, expected, strict=True)):
        assert time.monotonic() < deadline, [len(made) for made in counts]
        time.sleep(0.001)
    time.sleep(0.2)  # in which no more are made
    same([len(made) for made in counts], expected)


def test_first_values(tf, session, strategy):
    def step(context, x):
        context.set_last_step_output("x", x)
        twice = strategy.call_for_each_tower(lambda x: x * 2.0, x)
        context.set_last_step_output("nest", {"a": (twice, tf.ones([2], tf.int32))})

    start = {"kept": tf.constant(7.0), "x": -1.0, "list": [0.5, 1.5]}
    start["held"] = {"b": tf.constant([1, 2])}
    iterator = one_shot_for_towers(tf, strategy)
    once = strategy.run_steps_on_dataset(step, iterator, 1, start)
    never = strategy.run_steps_on_dataset(step, iterator, 0, start)
    zeros = strategy.run_steps_on_dataset(step, iterator, -1)
    outputs = session.run(never.last_step_outputs)
    same(sorted(outputs), ["held", "kept", "list", "nest", "x"])
    same((outputs["kept"], outputs["list"]), (7.0, [0.5, 1.5]))
    same((outputs["held"], outputs["x"]), ({"b": [1, 2]}, [-1.0, -1.0]))
    outputs = session.run(once.last_step_outputs)
    same((outputs["kept"], outputs["list"]), (7.0, [0.5, 1.5]))
    nest = [{"a": (2.0, [1, 1])}, {"a": (4.0, [1, 1])}]
    same((outputs["x"], outputs["nest"]), ([1.0, 2.0], nest))
    same(session.run(zeros.last_step_outputs)["x"], [0.0, 0.0])
    same(session.run(once.last_step_outputs)["x"], [3.0, 4.0])
    same(
        repr(once),
        "<MultiStepContext outputs=['held', 'kept', 'list', 'nest', 'x'] "
        "non_tensor_outputs=[]>",
    )


def test_iterations_tensor(tf, session, strategy):
    count = tf.placeholder(tf.int32, [])
    iterator = one_shot_for_towers(tf, strategy)
    context = strategy.run_steps_on_dataset(giving(), iterator, count)
    for steps, expected in ((4, [7.0, 8.0]), (2, [11.0, 12.0])):
        same(session.run(context.last_step_outputs, {count: steps})["x"], expected)


def test_plain_iterator(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        iterator = from_one(tf, 8).make_one_shot_iterator()
        context = strategy.run_steps_on_dataset(giving(), iterator, 2)
        same(session.run(context.last_step_outputs)["x"], [5.0, 6.0, 7.0, 8.0])


def test_end_of_data(tf, session, strategy):
    total = variable(tf, aggregation=tf.VariableAggregation.SUM)

    def step(context, x):
        strategy.call_for_each_tower(total.assign_add, x)

    dataset = strategy.distribute_dataset(lambda: from_one(tf, 7))
    context = strategy.run_steps_on_dataset(step, dataset.make_one_shot_iterator(), 5)
    initialise_variables(tf, session)
    words = ["5 steps were to be run, and the dataset has input for 3 of them"]
    refused(tf.errors.OutOfRangeError, words, session.run, context.run_op)
    same(evaluated(session, strategy, total), [0.0, 0.0])
    words = ["for 0 of them"]
    refused(tf.errors.OutOfRangeError, words, session.run, context.run_op)


def test_steps_arguments(tf):
    def unknown(context, x):
        size = tf.cast(strategy.unwrap(x)[0], tf.int32)
        context.set_last_step_output("x", tf.range(size))

    def combining(context, x):
        context.set_last_step_output("x", x, "sum")

    with strategy_in_scope(tf, cores=2) as strategy:
        iterator = one_shot_for_towers(tf, strategy)
        batches = strategy.distribute_dataset(lambda: from_one(tf).batch(2))
        unsized = batches.make_one_shot_iterator()
        give, starts = giving(), "initial_loop_values['x'] is "
        both = [starts + "int32[]", "body/TowerOwn:0 float32[]"]
        for error, words, *arguments in (
            (TypeError, ["fn must be callable, got 3"], 3, iterator),
            (TypeError, ["iterator must be one of a dataset"], give, from_one(tf)),
            (TypeError, ["must be a dict", "got [1.0]"], give, iterator, 1, [1.0]),
            (TypeError, both, give, iterator, 1, {"x": 1}),
            (ValueError, [starts + "float32[3]"], give, iterator, 1, {"x": [1.0] * 3}),
            (ValueError, ["fully known shape", "drop_remainder"], give, unsized),
            (ValueError, ["output 'x'", "pass its initial value"], unknown, iterator),
            (ValueError, ["aggregation must be one of", "'sum'"], combining, iterator),
            (TypeError, ["argument"], lambda context: None, iterator),
            (TypeError, [], give, iterator, "2"),
            (TypeError, [], give, iterator, 2.5),
        ):
            refused(error, words, strategy.run_steps_on_dataset, *arguments)
        steps, call = strategy.run_steps_on_dataset, strategy.call_for_each_tower
        nested = {"x": {"a": 1.0}}
        expect_raises((TypeError, ValueError), steps, give, iterator, 1, nested)
        refused(RuntimeError, ["within tower 0"], call, steps, give, iterator)
    words = ["run_steps_on_dataset must be used inside of"]
    refused(RuntimeError, words, steps, give, iterator)


def test_error_in_a_step(tf, strategy):
    def tower(x):
        if tower_context(tf).tower_id == 1:
            raise ValueError("no luck")
        return x

    iterator = one_shot_for_towers(tf, strategy)

    def step(context, x):
        strategy.call_for_each_tower(tower, x)

    words = ["in tower 1 of 2: no luck"]
    refused(ValueError, words, strategy.run_steps_on_dataset, step, iterator)
    same(tf.constant(1.0, name="after").name, "after:0")
    context = strategy.run_steps_on_dataset(giving(), iterator)
    assert isinstance(context.run_op, tf.Operation), repr(context.run_op)
