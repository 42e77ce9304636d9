"""tf.tpu.shard and tf.tpu.batch_parallel."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tpuref as tf


def grid(rows: int = 4, columns: int = 6) -> Any:
    return tf.constant(
        np.arange(rows * columns, dtype=np.float32), shape=[rows, columns]
    )


def values(rows: int = 4, columns: int = 6) -> Any:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


def test_the_names_are_the_same_functions() -> None:
    assert tf.tpu.shard is tf.tpu.shard_dyn is tf.contrib.tpu.shard
    assert tf.tpu.batch_parallel is tf.tpu.batch_parallel_dyn
    assert tf.tpu.batch_parallel is tf.contrib.tpu.batch_parallel


def test_the_signatures() -> None:
    shard = inspect.signature(tf.tpu.shard).parameters
    assert {k: p.default for k, p in list(shard.items())[1:]} == {
        "inputs": None,
        "num_shards": 1,
        "input_shard_axes": None,
        "outputs_from_all_shards": True,
        "output_shard_axes": None,
        "infeed_queue": None,
        "device_assignment": None,
        "name": None,
    }
    batch = inspect.signature(tf.tpu.batch_parallel).parameters
    assert list(batch) == [
        "computation",
        "inputs",
        "num_shards",
        "infeed_queue",
        "device_assignment",
        "name",
    ]


@pytest.mark.parametrize("function", [tf.tpu.shard, tf.tpu.batch_parallel])
def test_the_documents_example(function: Any, evaluate: Any) -> None:
    x = tf.constant(7)

    def computation() -> Any:
        return x + 3

    (joined,) = evaluate(function(computation, num_shards=2))
    assert joined.tolist() == [10, 10]


# -- splitting -----------------------------------------------------------------


@pytest.mark.parametrize("shards", [1, 2, 4])
def test_inputs_are_split_along_dimension_0(shards: int, evaluate: Any) -> None:
    seen: list[Any] = []

    def computation(x: Any) -> Any:
        seen.append(x.shape.as_list())
        return tf.reduce_sum(x, axis=0, keepdims=True)

    (sums,) = evaluate(tf.tpu.shard(computation, [grid()], shards))
    assert seen == [[4 // shards, 6]]
    expected = [part.sum(axis=0) for part in np.split(values(), shards)]
    assert sums.tolist() == np.array(expected).tolist()


@pytest.mark.parametrize("axis", [1, -1])
def test_inputs_are_split_along_their_axis(axis: int, evaluate: Any) -> None:
    seen: list[Any] = []

    def computation(x: Any, y: Any) -> Any:
        seen.append((x.shape.as_list(), y.shape.as_list()))
        return x, y

    x, y = evaluate(
        tf.tpu.shard(
            computation,
            [grid(), grid()],
            2,
            input_shard_axes=[axis, 0],
            output_shard_axes=[axis, 0],
        )
    )
    assert seen == [([4, 3], [2, 6])]
    assert np.array_equal(x, values()) and np.array_equal(y, values())


def test_values_that_convert_are_inputs(evaluate: Any) -> None:
    out = tf.tpu.shard(lambda a, b: (a, b), [np.arange(4.0), (1, 2)], 2)
    a, b = evaluate(out)
    assert (a.dtype, b.dtype) == (np.float64, np.int32)
    assert a.tolist() == [0.0, 1.0, 2.0, 3.0] and b.tolist() == [1, 2]


def test_lists_are_one_tensor_each(evaluate: Any) -> None:
    seen: list[Any] = []

    def computation(x: Any) -> Any:
        seen.append(x.shape.as_list())
        return x

    (out,) = evaluate(tf.tpu.shard(computation, [[[1, 2], [3, 4]]], 2))
    assert seen == [[1, 2]] and out.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("inputs", [None, []])
def test_no_inputs(inputs: Any, evaluate: Any) -> None:
    out = tf.tpu.batch_parallel(lambda: tf.constant([5.0]), inputs, 2)
    assert [o.tolist() for o in evaluate(out)] == [[5.0, 5.0]]


@pytest.mark.parametrize("inputs", [(), ([1.0],), {"a": 1}, 1.0, np.ones(2), iter([])])
def test_the_container_has_to_be_a_list(inputs: Any) -> None:
    with pytest.raises(TypeError, match="inputs must be a list of tensors or None"):
        tf.tpu.shard(lambda *x: None, inputs)


def test_a_bare_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="inputs must be a list of tensors or None"):
        tf.tpu.batch_parallel(lambda x: x, tf.constant([1.0]))


@pytest.mark.parametrize("function", [tf.tpu.shard, tf.tpu.batch_parallel])
def test_inputs_of_rank_0_are_refused(function: Any) -> None:
    with pytest.raises(ValueError, match=r"inputs\[1\].*at least rank 1"):
        function(lambda x, y: x, [[1.0, 2.0], tf.constant(1.0)], num_shards=2)


def test_an_input_of_unknown_rank_is_refused() -> None:
    with pytest.raises(ValueError, match=r"inputs\[0\].*unknown rank.*set_shape"):
        tf.tpu.shard(lambda x: x, [tf.placeholder(tf.float32)], 2)


@pytest.mark.parametrize("axis", [2, -3, 5])
def test_an_axis_that_does_not_exist(axis: int) -> None:
    with pytest.raises(ValueError, match=rf"no dimension {axis} to split"):
        tf.tpu.shard(lambda x: x, [grid()], 2, input_shard_axes=[axis])


@pytest.mark.parametrize(
    ("size", "shards", "nearest"),
    [(7, 2, "6 or 8"), (9, 4, "8 or 12"), (3, 8, "8"), (1, 2, "2"), (10, 3, "9 or 12")],
)
def test_indivisible_sizes_name_the_nearest(
    size: int, shards: int, nearest: str
) -> None:
    with pytest.raises(ValueError, match="not divisible") as raised:
        tf.tpu.batch_parallel(
            lambda x, y: x, [tf.zeros([shards]), tf.zeros([size])], shards
        )
    message = str(raised.value)
    assert "inputs[1]" in message and f"size {size}" in message
    assert f"num_shards = {shards}" in message
    assert message.endswith(f"use size {nearest} [TPUREF-E021]")


def test_indivisible_sizes_of_another_axis() -> None:
    with pytest.raises(ValueError, match="size 6 in dimension 1"):
        tf.tpu.shard(lambda x: x, [grid()], 4, input_shard_axes=[1])


def test_negative_axes_count_from_the_end() -> None:
    with pytest.raises(
        ValueError, match="size 6 in dimension 1, .*not divisible by .*4"
    ):
        tf.tpu.shard(lambda x: x, [grid()], 4, input_shard_axes=[-1])


def test_a_size_that_is_known_later_is_checked_then(session: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    out = tf.tpu.batch_parallel(lambda v: v * 2, [x], 2)
    (doubled,) = session.run(out, {x: np.ones([4, 2])})
    assert doubled.shape == (4, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="3"):
        session.run(out, {x: np.ones([3, 2])})


def test_an_empty_dimension_is_divisible(evaluate: Any) -> None:
    (out,) = evaluate(tf.tpu.shard(lambda x: x, [tf.zeros([0, 3])], 2))
    assert out.shape == (0, 3)


@pytest.mark.parametrize("shards", [0, -1, -8])
def test_num_shards_has_to_be_positive(shards: int) -> None:
    for function in (tf.tpu.shard, tf.tpu.batch_parallel):
        with pytest.raises(
            ValueError, match=f"num_shards must be at least 1.*{shards}"
        ):
            function(lambda: tf.constant([1.0]), num_shards=shards)


@pytest.mark.parametrize("shards", [1.0, "2", None, [2]])
def test_num_shards_has_to_be_whole(shards: Any) -> None:
    with pytest.raises(TypeError, match="num_shards must be an integer"):
        tf.tpu.shard(lambda: tf.constant([1.0]), num_shards=shards)


def test_num_shards_may_be_anything_with_an_index(evaluate: Any) -> None:
    out = tf.tpu.batch_parallel(lambda x: x, [[1.0, 2.0]], np.int64(2))
    assert evaluate(out)[0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("axes", [[], [0, 1], [0, 0, 0]])
def test_as_many_input_axes_as_inputs(axes: Any) -> None:
    with pytest.raises(ValueError, match=f"input_shard_axes has {len(axes)} entries"):
        tf.tpu.shard(lambda x: x, [grid()], 2, input_shard_axes=axes)


@pytest.mark.parametrize("argument", ["input_shard_axes", "output_shard_axes"])
@pytest.mark.parametrize("axes", [0, "0", [0.0], ["0"]])
def test_axes_are_lists_of_whole_numbers(argument: str, axes: Any) -> None:
    with pytest.raises(TypeError, match=f"{argument} must"):
        tf.tpu.shard(lambda x: x, [grid()], 2, **{argument: axes})


# -- joining -------------------------------------------------------------------


def test_outputs_are_joined_along_their_axis(evaluate: Any) -> None:
    (out,) = evaluate(tf.tpu.shard(lambda x: x, [grid()], 2, output_shard_axes=[1]))
    assert np.array_equal(out, np.concatenate([values()[:2], values()[2:]], axis=1))


@pytest.mark.parametrize("shards", [1, 2, 4, 8])
def test_joined_length_is_the_number_of_shards(shards: int, evaluate: Any) -> None:
    out = tf.tpu.batch_parallel(lambda: tf.ones([1]), num_shards=shards)
    assert evaluate(out)[0].shape == (shards,)


def test_outputs_of_rank_0_are_stacked(evaluate: Any) -> None:
    out = tf.tpu.batch_parallel(tf.reduce_sum, [[1.0, 2.0, 3.0]], 3)
    assert evaluate(out)[0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("make", [lambda x: x, lambda x: (x, x * 2), lambda x: [x, x]])
def test_a_list_of_tensors_comes_back(make: Any) -> None:
    out = tf.tpu.shard(make, [grid()], 2)
    made = make(1)
    assert type(out) is list
    assert len(out) == (len(made) if isinstance(made, (list, tuple)) else 1)
    assert all(isinstance(tensor, tf.Tensor) for tensor in out)


@pytest.mark.parametrize("make", [lambda: None, lambda: [], lambda: tf.no_op()])
def test_without_outputs_there_is_a_list_of_one_noop(make: Any) -> None:
    out = tf.tpu.shard(make, num_shards=2)
    assert type(out) is list and len(out) == 1
    assert isinstance(out[0], tf.Operation) and out[0].type == "NoOp"


def test_the_noop_runs_the_computation(evaluate: Any) -> None:
    v = tf.Variable(0.0)
    out = tf.tpu.shard(lambda: v.assign_add(1.0).op, num_shards=2)
    evaluate(out)
    assert evaluate(v) == 1.0


def test_an_output_of_one_shard(evaluate: Any) -> None:
    first = tf.tpu.shard(
        lambda x: x, [[0.0, 1.0, 2.0, 3.0]], 2, outputs_from_all_shards=False
    )
    again = tf.tpu.shard(
        lambda x: x,
        [[0.0, 1.0, 2.0, 3.0]],
        2,
        outputs_from_all_shards=False,
        output_shard_axes=[1],  # of no effect here
    )
    assert [o.tolist() for o in evaluate(first + again)] == [[0.0, 1.0]] * 2


def test_one_choice_per_output(evaluate: Any) -> None:
    joined, single = evaluate(
        tf.tpu.shard(
            lambda x: (x, x + 10),
            [[0.0, 1.0, 2.0, 3.0]],
            2,
            outputs_from_all_shards=[True, False],
        )
    )
    assert joined.tolist() == [0.0, 1.0, 2.0, 3.0] and single.tolist() == [10.0, 11.0]


@pytest.mark.parametrize("choices", [[], [True, True], [False, True, True]])
def test_as_many_choices_as_outputs(choices: Any) -> None:
    with pytest.raises(
        ValueError,
        match=f"outputs_from_all_shards has {len(choices)} entries.*1 output",
    ):
        tf.tpu.shard(lambda x: x, [grid()], 2, outputs_from_all_shards=choices)


@pytest.mark.parametrize("choices", [1, 0, None, "yes", np.bool_(True)])
def test_choices_are_bools(choices: Any) -> None:
    with pytest.raises(TypeError, match="outputs_from_all_shards must be a bool"):
        tf.tpu.shard(lambda x: x, [grid()], 2, outputs_from_all_shards=choices)


@pytest.mark.parametrize("axes", [[], [0, 0]])
@pytest.mark.parametrize("from_all", [True, False])
def test_as_many_output_axes_as_outputs(axes: Any, from_all: bool) -> None:
    with pytest.raises(ValueError, match=f"output_shard_axes has {len(axes)} entries"):
        tf.tpu.shard(
            lambda x: x,
            [grid()],
            2,
            outputs_from_all_shards=from_all,
            output_shard_axes=axes,
        )


@pytest.mark.parametrize("make", [lambda x: {"a": x}, lambda x: [x, [x]]])
def test_nested_outputs_are_refused(make: Any) -> None:
    with pytest.raises(TypeError, match="flat list of tensors"):
        tf.tpu.shard(make, [grid()], 2)


def test_an_output_axis_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="axis|dimension"):
        tf.tpu.shard(lambda x: x, [grid()], 2, output_shard_axes=[2])


# -- together ------------------------------------------------------------------


def test_shards_run_together(evaluate: Any) -> None:
    out = tf.tpu.batch_parallel(
        lambda x: x + tf.tpu.cross_replica_sum(tf.ones([])), [[0.0, 1.0, 2.0, 3.0]], 4
    )
    assert evaluate(out)[0].tolist() == [4.0, 5.0, 6.0, 7.0]


def test_batch_parallel_is_shard(evaluate: Any) -> None:
    one = tf.tpu.batch_parallel(lambda x: (x * 2, x + 1), [grid()], 4)
    other = tf.tpu.shard(lambda x: (x * 2, x + 1), [grid()], 4)
    for a, b in zip(evaluate(one), evaluate(other), strict=True):
        assert np.array_equal(a, b)


def test_captured_tensors_reach_every_shard_whole(evaluate: Any) -> None:
    k = tf.constant([10.0, 20.0])
    out = tf.tpu.batch_parallel(
        lambda x: x + tf.reduce_sum(k), [[0.0, 1.0, 2.0, 3.0]], 2
    )
    assert evaluate(out)[0].tolist() == [30.0, 31.0, 32.0, 33.0]


def test_the_infeed_follows_the_inputs(session: Any) -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    out = tf.tpu.batch_parallel(lambda v, q: v * 10 + q, [x], 2, infeed_queue=queue)
    fill = queue.split_inputs_and_generate_enqueue_ops([[0.0, 1.0, 2.0, 3.0]])
    _, (value,) = session.run([fill, out])
    assert value.tolist() == [10.0, 21.0, 32.0, 43.0]


def test_an_assignment_chooses_the_cores(traced: Any) -> None:
    topology = tf.contrib.tpu.Topology.for_cores(4)
    coordinates = topology.device_coordinates.reshape(4, 1, 3)[::-1]
    assignment = tf.contrib.tpu.DeviceAssignment(topology, coordinates)
    out = tf.tpu.batch_parallel(
        lambda x: x * 2, [tf.zeros([4])], 4, device_assignment=assignment
    )
    _, trace = traced(out)
    assert {(t.replica, t.core) for t in trace} == {(0, 3), (1, 2), (2, 1), (3, 0)}


@pytest.mark.parametrize("name", ["foo", 5, object()])
def test_the_name_has_no_effect(name: Any) -> None:
    def names(given: Any) -> list[str]:
        with tf.Graph().as_default() as graph:
            tf.tpu.batch_parallel(lambda x: x, [[1.0, 2.0]], 2, name=given)
            tf.tpu.shard(lambda x: x, [[1.0, 2.0]], 2, name=given)
            return [op.name for op in graph.get_operations()]

    assert names(name) == names(None)


def test_eager_mode() -> None:
    with tf.eager_execution():
        x = tf.constant([1.0, 2.0, 3.0, 4.0])
        (out,) = tf.tpu.batch_parallel(lambda v: v * 10, [x], 2)
        assert out.numpy().tolist() == [10.0, 20.0, 30.0, 40.0]
        with pytest.raises(ValueError, match="use size"):
            tf.tpu.shard(lambda v: v, [x], 3)
