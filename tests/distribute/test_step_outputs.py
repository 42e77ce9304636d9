"""The outputs of steps as values: unwrap, reduce, and the start of further steps."""

import pytest

import tpuref as tf

from .conftest import numbers, summed_on_read

pytestmark = pytest.mark.usefixtures("both_executors")
TOWERS = [1, 2, 4]


def giving(context, x):
    context.set_last_step_output("x", x)


def last(strategy, steps):
    count = strategy.num_towers
    return [float((steps - 1) * count + k + 1) for k in range(count)]


def test_130_unwrap_lists_the_values_of_the_towers(strategy, session):
    context = strategy.run_steps_on_dataset(giving, numbers(strategy), 2)
    output = context.last_step_outputs["x"]
    parts = strategy.unwrap(output)
    assert all(isinstance(part, tf.Tensor) for part in parts)
    assert [strategy.value_container(part) for part in parts] == [output] * len(parts)
    assert session.run(parts) == last(strategy, 2)
    fetched = session.run({"a": (output, parts[0])})["a"]
    many = strategy.num_towers > 1
    assert fetched[0] == (last(strategy, 4) if many else last(strategy, 4)[0])


def test_it_is_a_list_for_programs_that_take_one(four, session):
    output = four.run_steps_on_dataset(giving, numbers(four), 2).last_step_outputs["x"]
    assert len(output) == 4 and list(output) == four.unwrap(output)
    assert output[-1] is four.unwrap(output)[3]
    assert output[1:3] == four.unwrap(output)[1:3]
    assert session.run(tf.reduce_sum(output)) == 26.0


@pytest.mark.parametrize("eager", [False, True])
def test_structures_have_a_value_for_each_tower(eager, strategy_of):
    strategy = strategy_of(2)

    def step(context, x):
        twice = strategy.call_for_each_tower(lambda x: x * 2.0, x)
        context.set_last_step_output("nest", {"a": (twice, tf.constant(5.0)), "b": [x]})

    def run():
        with strategy.scope():
            context = strategy.run_steps_on_dataset(step, numbers(strategy), 2)
            nested = context.last_step_outputs["nest"]
            assert strategy.unwrap(nested) == list(nested)
            return list(nested)

    if eager:
        with tf.eager_execution():
            found = run()
        for part in found:
            part["a"] = tuple(map(float, part["a"]))
            part["b"] = [float(part["b"][0])]
    else:
        with tf.Session() as session:
            found = session.run(run())
    assert found == [{"a": (2.0 * x, 5.0), "b": [x]} for x in last(strategy, 2)]


@pytest.mark.parametrize("form", ["mirrored", "unwrapped", "list", "one"])
def test_120_starts_of_all_towers(form, strategy, session):
    copies = strategy.broadcast(tf.constant([7.0, 8.0]))
    start = {
        "mirrored": copies,
        "unwrapped": strategy.unwrap(copies),
        "list": [[7.0, 8.0]] * strategy.num_towers,
        "one": [7.0, 8.0],
    }[form]

    def step(context, x):
        pairs = strategy.call_for_each_tower(lambda x: tf.stack([x, x]), x)
        context.set_last_step_output("pairs", pairs)

    context = strategy.run_steps_on_dataset(
        step, numbers(strategy), 0, {"pairs": start}
    )
    parts = session.run(strategy.unwrap(context.last_step_outputs["pairs"]))
    assert [part.tolist() for part in parts] == [[7.0, 8.0]] * strategy.num_towers


def test_120_starts_that_differ_by_tower(strategy, session):
    own = strategy.call_for_each_tower(
        lambda: tf.constant(10.0 * tf.get_tower_context().tower_id)
    )
    for start in (own, strategy.unwrap(own)):
        context = strategy.run_steps_on_dataset(
            giving, numbers(strategy), 0, {"x": start, "unset": own}
        )
        expected = [10.0 * k for k in range(strategy.num_towers)]
        outputs = context.last_step_outputs
        assert session.run(strategy.unwrap(outputs["x"])) == expected
        assert session.run(strategy.unwrap(outputs["unset"])) == expected


def test_the_outputs_of_a_run_start_the_next(strategy, session):
    def step(context, x):
        pair = strategy.call_for_each_tower(lambda x: (x, {"neg": -x}), x)
        context.set_last_step_output("pair", pair)
        giving(context, x)

    iterator = numbers(strategy)
    first = strategy.run_steps_on_dataset(step, iterator, 3)
    starts = [first.last_step_outputs]
    starts.append({k: strategy.unwrap(v) for k, v in first.last_step_outputs.items()})
    for start, steps in zip(starts, (3, 6), strict=True):
        second = strategy.run_steps_on_dataset(step, iterator, 0, start)
        expected = last(strategy, steps)
        outputs = second.last_step_outputs
        pairs, xs = session.run([strategy.unwrap(outputs[k]) for k in ("pair", "x")])
        assert xs == expected
        assert pairs == [(x, {"neg": -x}) for x in expected]


def test_a_start_of_other_towers(four, session):
    some = four.worker_devices[:2]
    copies = four.broadcast(tf.constant(1.0), some)
    differing = tf.contrib.distribute.PerDevice(dict.fromkeys(some, 1.0))

    def run(start):
        return four.run_steps_on_dataset(giving, numbers(four), 0, start)

    assert session.run(run({"x": copies}).last_step_outputs) == {"x": [1.0] * 4}
    with pytest.raises(ValueError, match="no component for the device"):
        run({"x": differing})
    with pytest.raises(ValueError, match=r"initial_loop_values\['x'\] is float32"):
        run({"x": four.unwrap(copies)})
    with pytest.raises(ValueError, match="ragged|inhomogeneous|must be"):
        run({"x": [[[1.0], [1.0, 2.0]]] * 4})


def test_tower_local_variables_are_combined(strategy, evaluate):
    count = summed_on_read("count", 1.0)

    def step(context, x):
        context.set_last_step_output("count", count)

    context = strategy.run_steps_on_dataset(step, numbers(strategy))
    assert evaluate(context.last_step_outputs["count"]) == strategy.num_towers
