"""Checks of TPUStrategy: steps on a dataset."""

import numpy as np

from ..clause import beyond_the_words, expect_raises, same
from ..probes import initialise_variables
from ..subject import fresh_graph
from .tpu_strategy_page import (
    eager_strategy,
    error_type,
    evaluated,
    has_eager_mode,
    numbers,
    page,
    parameters,
    required,
    running_strategy,
    strategy_in_scope,
    tensor_type,
    tower_context,
    variable,
)


def from_one(tf, count=12):
    """Return a dataset of 1.0, 2.0, ... up to ``count``."""
    values = np.arange(1.0, count + 1.0, dtype=np.float32)
    return tf.data.Dataset.from_tensor_slices(values)


def one_shot(tf):
    """Return an iterator over 1.0, 2.0, ..."""
    return from_one(tf).make_one_shot_iterator()


def one_shot_for_towers(tf, strategy):
    """Return an iterator over the same, an element for each tower at a time."""
    return strategy.distribute_dataset(lambda: from_one(tf)).make_one_shot_iterator()


def accumulating(tf, strategy, total):
    """Return a step that adds its input to the variable ``total``."""

    def step(context, x):
        return strategy.group(strategy.update(total, lambda v: v.assign_add(x)))

    return step


def accumulating_sums(tf, strategy, total):
    """Return a step that adds its input of all towers to the variable ``total``."""

    def step(context, x):
        summed = strategy.reduce(tf.VariableAggregation.SUM, x, total)
        return strategy.group(
            strategy.update(total, lambda v, s: v.assign_add(s), summed)
        )

    return step


def steps_at_once(tf, iterations):
    """Return what each step in eager mode is given, and what the last one sets."""
    elements = []

    def step(context, x):
        elements.append(numbers(strategy, x))
        context.set_last_step_output("x", strategy.unwrap(x)[0])

    with eager_strategy(tf) as strategy:
        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations)
        return elements, float(context.last_step_outputs["x"].numpy())


def output(session, strategy, value):
    """Return the value of an output; that of the first tower if they have their own."""
    first = value[0] if isinstance(value, list) else strategy.unwrap(value)[0]
    return session.run(first)


@page.clause(".run_steps_on_dataset/signature/parameters")
def steps_parameters(tf):
    declared = parameters(tf.contrib.distribute.TPUStrategy.run_steps_on_dataset)
    same(declared[:2], required("fn", "iterator"))
    same([name for name, _, _ in declared[2:]], ["iterations", "initial_loop_values"])


@page.clause(".run_steps_on_dataset/signature/default-iterations")
def steps_default_iterations(tf):
    declared = parameters(tf.contrib.distribute.TPUStrategy.run_steps_on_dataset)
    same(declared[2], ("iterations", 1, ""))


@page.clause(".run_steps_on_dataset/signature/default-initial-loop-values")
def steps_default_initial_loop_values(tf):
    declared = parameters(tf.contrib.distribute.TPUStrategy.run_steps_on_dataset)
    same(declared[3], ("initial_loop_values", None, ""))


@page.clause(".run_steps_on_dataset/behaviour/runs-fn-iterations-times")
def steps_run_iterations(tf):
    with running_strategy(tf, cores=1) as (session, strategy):
        total = variable(tf)
        step = accumulating(tf, strategy, total)
        iterator = one_shot(tf)
        three = strategy.run_steps_on_dataset(step, iterator, iterations=3)
        one = strategy.run_steps_on_dataset(step, iterator)
        initialise_variables(tf, session)
        session.run(three.run_op)
        same(evaluated(session, strategy, total), [6.0])
        session.run(one.run_op)
        same(evaluated(session, strategy, total), [10.0])
    with fresh_graph(tf), running_strategy(tf, cores=2) as (session, strategy):
        total = variable(tf)
        step = accumulating_sums(tf, strategy, total)
        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=3)
        initialise_variables(tf, session)
        session.run(context.run_op)
        same(evaluated(session, strategy, total), [21.0, 21.0])
    if has_eager_mode(tf):
        elements, _ = steps_at_once(tf, 3)
        same(elements, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@page.clause(".run_steps_on_dataset/args:fn/receives-context-first")
def steps_context_first(tf):
    arguments = []

    def step(*received):
        arguments.extend(received)
        return tf.group()

    with strategy_in_scope(tf, cores=2) as strategy:
        strategy.run_steps_on_dataset(step, one_shot_for_towers(tf, strategy))
    same(type(arguments[0]).__name__, "MultiStepContext")
    same(len(arguments), 2)


def pairs(tf):
    """Return a dataset of the pairs (1, 10), (2, 20), (3, 30) and (4, 40)."""
    values = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    return tf.data.Dataset.from_tensor_slices((values, values * 10.0))


@page.clause(".run_steps_on_dataset/args:fn/tuple-is-unpacked")
def steps_tuple_unpacked(tf):
    def step_fn(context, x, y):
        sums = strategy.call_for_each_tower(lambda a, b: a + b, x, y)
        total = strategy.reduce(tf.VariableAggregation.SUM, sums, sums)
        context.set_last_step_output("sum", strategy.unwrap(total)[0])
        return tf.group()

    with running_strategy(tf, cores=2) as (session, strategy):
        dataset = strategy.distribute_dataset(lambda: pairs(tf))
        context = strategy.run_steps_on_dataset(
            step_fn, dataset.make_one_shot_iterator(), 2, {"sum": tf.constant(0.0)}
        )
        # The last two pairs: 3 + 30 and 4 + 40.
        same(output(session, strategy, context.last_step_outputs["sum"]), 77.0)
        seen = []

        def takes_one(context, *elements):
            seen.append([type(one) is tuple for one in elements])
            return tf.group()

        ones = strategy.distribute_dataset(lambda: pairs(tf).map(lambda x, y: (x,)))
        strategy.run_steps_on_dataset(takes_one, ones.make_one_shot_iterator(), 2)
        same(seen, [[False]], call="whether the only entry is still in its tuple")


@page.clause(".run_steps_on_dataset/args:fn/single-value-passed-as-is")
def steps_single_value(tf):
    def step_fn(context, x):
        assert isinstance(x, dict) and sorted(x) == ["a", "b"], repr(x)
        context.set_last_step_output("sum", x["a"] + x["b"])
        return tf.group()

    def plain_fn(context, x):
        assert isinstance(x, tensor_type(tf)), repr(x)
        context.set_last_step_output("sum", x + 1.0)
        return tf.group()

    values = np.array([1.0, 2.0, 3.0], np.float32)
    start = {"sum": 0.0}
    with running_strategy(tf, cores=1) as (session, strategy):
        dicts = tf.data.Dataset.from_tensor_slices({"a": values, "b": values * 10.0})
        context = strategy.run_steps_on_dataset(
            step_fn, dicts.make_one_shot_iterator(), 3, start
        )
        same(output(session, strategy, context.last_step_outputs["sum"]), 33.0)
        context = strategy.run_steps_on_dataset(plain_fn, one_shot(tf), 2, start)
        same(output(session, strategy, context.last_step_outputs["sum"]), 3.0)


@page.clause(".run_steps_on_dataset/args:fn/inputs-match-get-next")
def steps_inputs_match(tf):
    received = []

    def step(context, x, nest):
        received.append((x, nest))
        return tf.group()

    rows = np.zeros([4, 3], np.float32)
    numbers = np.zeros([4], np.int32)
    dataset = tf.data.Dataset.from_tensor_slices((rows, {"a": numbers, "b": rows}))
    with strategy_in_scope(tf, cores=1) as strategy:
        strategy.run_steps_on_dataset(step, dataset.make_one_shot_iterator())
    x, nest = received.pop()
    same(sorted(nest), ["a", "b"])
    leaves = [x, nest["a"], nest["b"]]
    same([leaf.dtype.name for leaf in leaves], ["float32", "int32", "float32"])
    same([leaf.shape.as_list() for leaf in leaves], [[3], [], [3]])
    beyond_the_words()
    with strategy_in_scope(tf, cores=2) as strategy:
        towers = strategy.distribute_dataset(lambda: dataset).make_one_shot_iterator()
        strategy.run_steps_on_dataset(step, towers)
        expected_x, expected = towers.get_next()
        x, nest = received.pop()
        same(sorted(nest), sorted(expected))
        for leaf, like in ((x, expected_x), (nest["a"], expected["a"])):
            same(type(leaf), type(like))
            same(len(strategy.unwrap(leaf)), len(strategy.unwrap(like)))


@page.clause(".run_steps_on_dataset/args:fn/can-call-for-each-tower")
def steps_call_for_each_tower(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        total = variable(tf)

        def body(x):
            context = tower_context(tf)
            return context.merge_call(merge, x * (context.tower_id + 1.0))

        def merge(strategy, value):
            summed = strategy.reduce(tf.VariableAggregation.SUM, value, total)
            return strategy.update(total, lambda v, s: v.assign_add(s), summed)

        def step(context, x):
            return strategy.group(strategy.call_for_each_tower(body, x))

        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=3)
        initialise_variables(tf, session)
        session.run(context.run_op)
        # 1 to 4, 5 to 8 and 9 to 12, each times the number of the tower from 1 up
        same(evaluated(session, strategy, total), [30.0 + 70.0 + 110.0] * 4)


@page.clause(".run_steps_on_dataset/args:iterator/caller-initialises")
def steps_caller_initialises(tf):
    with running_strategy(tf, cores=1) as (session, strategy):
        total = variable(tf)
        iterator = from_one(tf).make_initializable_iterator()
        step = accumulating(tf, strategy, total)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=2)
        initialise_variables(tf, session)
        uninitialised = error_type(tf, "FailedPreconditionError")
        expect_raises(uninitialised, session.run, context.run_op)
        session.run(iterator.initializer)
        session.run(context.run_op)
        same(evaluated(session, strategy, total), [3.0])
        session.run(context.run_op)
        session.run(iterator.initializer)
        session.run(context.run_op)
        same(evaluated(session, strategy, total), [13.0])


@page.clause(".run_steps_on_dataset/args:initial_loop_values/start-values")
def steps_start_values(tf):
    def silent(context, x):
        return tf.group()

    def setting(context, x):
        context.set_last_step_output("s", x)
        return tf.group()

    with running_strategy(tf, cores=1) as (session, strategy):
        for step, count, expected in (
            (silent, 3, 7.0),
            (setting, 3, 3.0),
            (setting, 0, 7.0),
        ):
            context = strategy.run_steps_on_dataset(
                step, one_shot(tf), count, initial_loop_values={"s": tf.constant(7.0)}
            )
            last = output(session, strategy, context.last_step_outputs["s"])
            same(last, expected)
    if not has_eager_mode(tf):
        return
    with eager_strategy(tf) as strategy:
        for step, expected in ((silent, 7.0), (setting, 3.0)):
            iterator = one_shot_for_towers(tf, strategy)
            start = {"s": tf.constant(7.0)}
            context = strategy.run_steps_on_dataset(step, iterator, 2, start)
            last = context.last_step_outputs["s"]
            last = last[0] if isinstance(last, list) else strategy.unwrap(last)[0]
            same(float(last.numpy()), expected, call="the output in eager mode")


@page.clause(".run_steps_on_dataset/returns/multi-step-context")
def steps_return_context(tf):
    contexts = []

    def step(context, x):
        contexts.append(context)
        return tf.group()

    with strategy_in_scope(tf, cores=2) as strategy:
        iterator = one_shot_for_towers(tf, strategy)
        returned = strategy.run_steps_on_dataset(step, iterator)
    same(type(returned).__name__, "MultiStepContext")
    assert contexts[-1] is returned, f"{contexts[-1]!r} is not {returned!r}"


@page.clause(".run_steps_on_dataset/returns/run-op")
def steps_run_op(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        total = variable(tf)
        step = accumulating_sums(tf, strategy, total)
        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=2)
        if hasattr(tf, "Operation"):
            assert isinstance(context.run_op, tf.Operation), repr(context.run_op)
        initialise_variables(tf, session)
        same(evaluated(session, strategy, total), [0.0, 0.0])
        session.run(context.run_op)
        same(evaluated(session, strategy, total), [10.0, 10.0])
        session.run(context.run_op)
        same(evaluated(session, strategy, total), [36.0, 36.0])


@page.clause(".run_steps_on_dataset/returns/last-step-outputs")
def steps_last_step_outputs(tf):
    kind = tf.VariableAggregation.SUM

    def step(context, x):
        total = strategy.reduce(kind, x, x)
        context.set_last_step_output("total", strategy.unwrap(total)[0])
        tens = strategy.call_for_each_tower(in_tower, context, x)
        context.set_last_step_output("tens", tens)
        return tf.group()

    def in_tower(context, x):
        context.set_last_step_output("summed", x, aggregation=kind)
        return x * 10.0

    with running_strategy(tf, cores=4) as (session, strategy):
        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=2)
        outputs = context.last_step_outputs
        assert isinstance(outputs, dict), repr(outputs)
        same(sorted(outputs), ["summed", "tens", "total"])
        tens = outputs["tens"]
        parts = tens if isinstance(tens, list) else strategy.unwrap(tens)
        # The second step has the elements 5 to 8.
        same(session.run(parts), [50.0, 60.0, 70.0, 80.0])
        iterator = one_shot_for_towers(tf, strategy)
        context = strategy.run_steps_on_dataset(step, iterator, iterations=3)
        # The third step has the elements 9 to 12.
        for name in ("total", "summed"):
            last = output(session, strategy, context.last_step_outputs[name])
            same(last, 42.0, call=name)
            iterator = one_shot_for_towers(tf, strategy)
            context = strategy.run_steps_on_dataset(step, iterator, iterations=3)
    if has_eager_mode(tf):
        same([steps_at_once(tf, count)[1] for count in (1, 3)], [1.0, 5.0])


@page.clause(".run_steps_on_dataset/returns/non-tensor-outputs")
def steps_non_tensor_outputs(tf):
    thing = object()

    def step(context, x):
        context.set_non_tensor_output("tag", "to be replaced")
        context.set_non_tensor_output("tag", "abc")
        context.set_non_tensor_output("thing", thing)
        context.set_non_tensor_output("nothing", [])
        return tf.group()

    with strategy_in_scope(tf, cores=2) as strategy:
        iterator = one_shot_for_towers(tf, strategy)
        outputs = strategy.run_steps_on_dataset(step, iterator).non_tensor_outputs
    same(sorted(outputs), ["nothing", "tag", "thing"])
    same(outputs["tag"], "abc")
    same(outputs["nothing"], [])
    assert outputs["thing"] is thing, repr(outputs["thing"])
