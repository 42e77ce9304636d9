"""tf.tpu.rewrite: one computation on one core."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tpuref as tf


def test_the_names_are_one_function() -> None:
    assert tf.tpu.rewrite is tf.tpu.rewrite_dyn is tf.contrib.tpu.rewrite


def test_the_signature() -> None:
    parameters = inspect.signature(tf.tpu.rewrite).parameters
    assert list(parameters) == [
        "computation",
        "inputs",
        "infeed_queue",
        "device_assignment",
        "name",
    ]
    defaults = [p.default for p in parameters.values()]
    assert defaults == [inspect.Parameter.empty, None, None, None, None]


# -- inputs --------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), (None,), ([],), ((),)])
def test_no_inputs(arguments: Any, evaluate: Any) -> None:
    assert evaluate(tf.tpu.rewrite(lambda: tf.constant(2.0), *arguments)) == (2.0,)


@pytest.mark.parametrize("container", [list, tuple])
def test_lists_and_tuples_are_equal(container: Any, evaluate: Any) -> None:
    inputs = container([tf.constant(5.0), 3.0])
    assert evaluate(tf.tpu.rewrite(lambda a, b: a - b, inputs)) == (2.0,)


def test_inputs_may_be_nested(evaluate: Any) -> None:
    out = tf.tpu.rewrite(lambda d: d["a"] + d["b"][0], [{"a": 1.0, "b": [2.0]}])
    assert evaluate(out) == (3.0,)


def test_leaves_convert() -> None:
    seen: list[Any] = []
    tf.tpu.rewrite(lambda *x: seen.extend(x), [1, 2.0, True, np.zeros((2, 3))])
    found = [(x.dtype.name, x.shape.as_list()) for x in seen]
    assert found == [("int32", []), ("float32", []), ("bool", []), ("float64", [2, 3])]


def test_nested_numbers_arrive_as_scalars() -> None:
    seen: list[Any] = []
    tf.tpu.rewrite(seen.append, [[[1, 2], [3, 4]]])
    assert [[x.shape.as_list() for x in row] for row in seen[0]] == [[[], []]] * 2
    tf.tpu.rewrite(seen.append, [tf.convert_to_tensor([[1, 2], [3, 4]])])
    assert seen[1].shape.as_list() == [2, 2]


@pytest.mark.parametrize("inputs", [1.0, "text", {"a": 1.0}, np.ones(2), {1.0}])
def test_other_containers_are_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match="tf.tpu.rewrite: inputs must be a list"):
        tf.tpu.rewrite(lambda x: x, inputs)


def test_a_bare_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="tf.tpu.rewrite: inputs must be a list"):
        tf.tpu.rewrite(lambda x: x, tf.constant([1.0]))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_inputs_as_parameters(count: int) -> None:
    with pytest.raises(ValueError, match="exactly 2 inputs") as raised:
        tf.tpu.rewrite(lambda a, b: a, [1.0] * count)
    assert isinstance(raised.value, TypeError)


def test_the_infeed_follows_the_inputs(session: Any) -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    out = tf.tpu.rewrite(lambda x, q: x + q, [1.0], infeed_queue=queue)
    fill = queue.split_inputs_and_generate_enqueue_ops([tf.zeros([4])])
    _, (value,) = session.run([fill, out])
    assert value.tolist() == [1.0] * 4


def test_the_name_has_no_effect() -> None:
    def names(name: Any) -> list[str]:
        with tf.Graph().as_default() as graph:
            tf.tpu.rewrite(lambda x: x + 1, [1.0], name=name)
            return [op.name for op in graph.get_operations()]

    assert names("foo") == names(None)


# -- what comes back -----------------------------------------------------------


def test_none_gives_a_noop_and_no_list(evaluate: Any) -> None:
    v = tf.Variable(0.0)

    def computation(x: Any) -> None:
        v.assign(x)

    out = tf.tpu.rewrite(computation, [4.0])
    assert isinstance(out, tf.Operation) and out.type == "NoOp"
    evaluate(v)
    assert evaluate(out) is None
    assert evaluate(v) == 4.0


def test_operations_only_give_a_noop_that_runs_them(evaluate: Any) -> None:
    v = tf.Variable(0.0)
    out = tf.tpu.rewrite(lambda: [v.assign_add(2.0).op])
    assert isinstance(out, tf.Operation) and out.type == "NoOp"
    evaluate(out)
    assert evaluate(v) == 2.0


def test_a_single_value_gives_a_tuple(evaluate: Any) -> None:
    out = tf.tpu.rewrite(lambda x: x * x, [tf.constant(3.0)])
    assert type(out) is tuple
    assert evaluate(out) == (9.0,)


@pytest.mark.parametrize("container", [list, tuple])
def test_operations_behind_tensors_are_left_out(container: Any, evaluate: Any) -> None:
    v = tf.Variable(0.0)
    out = tf.tpu.rewrite(
        lambda x: container([x, x + 1, v.assign_add(1.0).op]), [tf.constant(1.0)]
    )
    assert type(out) is container and len(out) == 2
    assert evaluate(out) == container([1.0, 2.0])
    assert evaluate(v) == 1.0


def test_the_structure_is_kept(evaluate: Any) -> None:
    out = tf.tpu.rewrite(lambda t: {"b": [t, (t,)], "a": t}, [3.0])
    assert evaluate(out) == {"b": [3.0, (3.0,)], "a": 3.0}
    assert list(out) == ["b", "a"]


def test_an_operation_before_a_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match="tensors before operations"):
        tf.tpu.rewrite(lambda x: [tf.no_op(), x], [1.0])


def test_every_operation_runs_with_any_output(evaluate: Any) -> None:
    v = tf.Variable(0.0)

    def computation(x: Any) -> Any:
        v.assign_add(1.0)
        return x, x + 1

    first, second = tf.tpu.rewrite(computation, [1.0])
    assert evaluate(first) == 1.0
    assert evaluate(v) == 1.0
    assert evaluate([first, second]) == [1.0, 2.0]
    assert evaluate(v) == 2.0  # once for both outputs


# -- where it runs -------------------------------------------------------------


def test_the_default_is_the_first_core_of_the_first_task(traced: Any) -> None:
    with tf.config.override(topology="2x2x2"):
        out = tf.tpu.rewrite(lambda x: x * x, [tf.constant(3.0)])
        value, trace = traced(out)
    assert value == (9.0,)
    assert {(t.task, t.core, t.device) for t in trace} == {
        (0, 0, "/job:localhost/replica:0/task:0/device:TPU:0")
    }


def test_an_assignment_chooses_the_core(traced: Any) -> None:
    topology = tf.contrib.tpu.Topology.for_cores(4)
    for core in range(4):
        assignment = tf.contrib.tpu.DeviceAssignment(
            topology, topology.device_coordinates.reshape(-1, 3)[core].reshape(1, 1, 3)
        )
        out = tf.tpu.rewrite(lambda x: x + 1, [1.0], device_assignment=assignment)
        value, trace = traced(out)
        assert value == (2.0,)
        assert {t.core for t in trace} == {core}


def test_eager_mode() -> None:
    with tf.eager_execution():
        (value,) = tf.tpu.rewrite(lambda x: x * x, [3.0])
        assert value.numpy() == 9.0
        assert tf.tpu.rewrite(lambda: None) is None
