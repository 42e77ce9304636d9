"""The infeed queue: configuration, the operations it makes, and what arrives."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.contrib_infeed_queue import configured
from tpuref_conformance.suite.contrib_infeed_queue import facts as facts_of
from tpuref_conformance.suite.contrib_infeed_queue_operations import one_element

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL

from ..messages import refused

InfeedQueue = tf.contrib.tpu.InfeedQueue


@pytest.fixture(autouse=True)
def fresh_graph_and_system() -> Iterator[None]:
    LOCAL.reset()
    with tf.Graph().as_default(), tf.config.override(timeout=10.0):
        yield


def two_elements(**more: Any) -> InfeedQueue:
    return InfeedQueue(
        tuple_types=[tf.float32, tf.int32], tuple_shapes=[[4, 3], [8]], **more
    )


def facts(queue: InfeedQueue) -> tuple[Any, ...]:
    """Return number of elements, types, shapes, dimensions and number of shards."""
    types, shapes = queue.tuple_types, queue.tuple_shapes
    return (
        queue.number_of_tuple_elements,
        None if types is None else [dtype.name for dtype in types],
        None
        if shapes is None
        else [None if s.rank is None else s.as_list() for s in shapes],
        queue.shard_dimensions,
        queue.number_of_shards,
    )


def running(queue: InfeedQueue, replicas: int = 2) -> Any:
    """Return a computation that gives each replica's elements as they arrive."""
    inputs = [[] for _ in range(replicas)]
    return tf.tpu.replicate(lambda *fed: [e * 1 for e in fed], inputs, queue)


@contextlib.contextmanager
def soon(function: Callable[..., Any], *arguments: Any) -> Iterator[None]:
    """Call `function` from another thread while the block waits for what it does."""
    timer = threading.Timer(0.1, function, arguments)
    timer.start()
    try:
        yield
    finally:
        timer.join()


# ------------------------------------------------------------- configuration
# What TensorFlow 1.15 was measured to do.


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"number_of_tuple_elements": 1}, (1, None, None, [None], None)),
        (
            {"tuple_types": [tf.float32, tf.int32]},
            (2, ["float32", "int32"], None, [None, None], None),
        ),
        (
            {"tuple_types": (tf.float32, tf.int32)},
            (2, ["float32", "int32"], None, [None, None], None),
        ),
        (
            {"tuple_types": ["float32", np.int32]},
            (2, ["float32", "int32"], None, [None, None], None),
        ),
        ({"tuple_shapes": [[2, 3]]}, (1, None, [[2, 3]], [None], None)),
        ({"tuple_shapes": [None]}, (1, None, [None], [None], None)),
        ({"tuple_shapes": [[]]}, (1, None, [[]], [None], None)),
        ({"tuple_shapes": [4]}, (1, None, [[4]], [None], None)),
        ({"shard_dimensions": [0, 1]}, (2, None, None, [0, 1], None)),
        (
            {"tuple_types": [tf.float32], "tuple_shapes": [[4]]},
            (1, ["float32"], [[4]], [None], None),
        ),
        (
            {"tuple_shapes": [[4]], "shard_dimensions": [1]},
            (1, None, [[4]], [1], None),
        ),
        (
            {"tuple_shapes": [[4]], "shard_dimensions": [None]},
            (1, None, [[4]], [None], None),
        ),
    ],
)
def test_constructor(arguments: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert facts(InfeedQueue(**arguments)) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "number of tuple elements is unknown"),
        ({"number_of_tuple_elements": 0}, ValueError, "1 or more, got 0"),
        ({"number_of_tuple_elements": -1}, ValueError, "1 or more, got -1"),
        ({"number_of_tuple_elements": 2**63}, ValueError, "65536 or less, got 9223"),
        ({"number_of_tuple_elements": 1.5}, TypeError, "integer, got 1.5"),
        ({"number_of_tuple_elements": "2"}, TypeError, "integer, got '2'"),
        (
            {"number_of_tuple_elements": 2, "tuple_types": [tf.float32]},
            ValueError,
            "tuple_types is .* list of length 2",
        ),
        (
            {"tuple_types": [tf.float32], "tuple_shapes": [[4], [4]]},
            ValueError,
            r"tuple_shapes is \[\[4\], \[4\]\], expected a list of length 1",
        ),
        (
            {"tuple_types": [tf.float32], "shard_dimensions": [0, 0]},
            ValueError,
            r"shard_dimensions is \[0, 0\], expected a list of length 1",
        ),
        ({"tuple_types": []}, ValueError, "1 or more, got 0"),
        ({"tuple_types": tf.float32}, TypeError, "tuple_types must be a list"),
        ({"tuple_types": ["foo"]}, TypeError, r"tuple_types is \['foo'\]"),
        ({"tuple_types": [None]}, TypeError, r"tuple_types is \[None\]"),
        ({"tuple_shapes": ["x"]}, TypeError, r"tuple_shapes is \['x'\]"),
        ({"tuple_shapes": [[-2]]}, TypeError, r"tuple_shapes is \[\[-2\]\]"),
        ({"shard_dimensions": [-1]}, ValueError, "holds -1, expected 0 or more"),
        ({"shard_dimensions": ["x"]}, ValueError, "holds 'x' of type str"),
        ({"shard_dimensions": ["x"]}, TypeError, "holds 'x' of type str"),
    ],
)
def test_constructor_faults(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        InfeedQueue(**arguments)


def test_types_and_shapes_may_be_replaced_before_freezing() -> None:
    queue = two_elements()
    queue.set_tuple_types([tf.int64, "bfloat16"])
    queue.set_tuple_shapes([[2], [None]])
    assert facts(queue)[1:3] == (["int64", "bfloat16"], [[2], [None]])


@pytest.mark.parametrize(
    ("method", "value", "error"),
    [
        ("set_tuple_types", [tf.float32], ValueError),
        ("set_tuple_types", ["foo", tf.float32], TypeError),
        ("set_tuple_shapes", [[1]], ValueError),
        ("set_tuple_shapes", ["x", [1]], TypeError),
        ("set_shard_dimensions", [0], ValueError),
        ("set_number_of_shards", 0, ValueError),
        ("set_number_of_shards", -1, ValueError),
        ("set_number_of_shards", "2", TypeError),
        ("set_number_of_shards", None, TypeError),
    ],
)
def test_a_refused_setting_changes_nothing(
    method: str, value: Any, error: type[Exception]
) -> None:
    queue = two_elements()
    before = facts(queue)
    with pytest.raises(error, match="InfeedQueue"):
        getattr(queue, method)(value)
    assert facts(queue) == before


def test_the_lists_of_a_queue_cannot_be_changed_from_outside() -> None:
    queue = two_elements()
    for values in (queue.tuple_types, queue.tuple_shapes, queue.shard_dimensions):
        values.clear()
    assert facts(queue)[1:4] == (
        ["float32", "int32"],
        [[4, 3], [8]],
        [None, None],
    )


def test_the_number_of_shards_is_not_held_against_open_dimensions() -> None:
    queue = two_elements()
    queue.set_number_of_shards(3)
    queue.set_number_of_shards(4)
    assert facts(queue)[3:] == ([None, None], 4)


def test_a_shape_that_does_not_divide_is_refused_once_its_dimension_is_set() -> None:
    queue = two_elements()
    queue.set_shard_dimensions([1, 0])
    with pytest.raises(ValueError, match=r"\(8,\) cannot be split into 3 equal"):
        queue.set_number_of_shards(3)


@pytest.mark.parametrize(
    ("shape", "dimension", "shards", "expected"),
    [
        ([4, 3], 0, 2, [2, 3]),
        ([4, 3], 1, 3, [4, 1]),
        ([5], 0, 1, [5]),
        ([], 0, 1, []),
        ([None, 3], 0, 1, [None, 3]),
        ([None, 3], 1, 3, [None, 1]),
    ],
)
def test_shape_of_a_shard(
    shape: Any, dimension: int, shards: int, expected: list[int]
) -> None:
    queue = InfeedQueue(
        tuple_types=[tf.float32], tuple_shapes=[shape], shard_dimensions=[dimension]
    )
    queue.set_number_of_shards(shards)
    assert queue.generate_dequeue_op()[0].shape.as_list() == expected


@pytest.mark.parametrize(
    ("shape", "dimension", "message"),
    [
        ([5, 3], 0, "cannot be split into 2 equal shards along dimension 0"),
        ([4, 3], 5, "has no dimension 5"),
        ([None, 3], 0, "dimension 0 of shape .* must be known"),
        (None, 0, "<unknown> has no dimension 0"),
    ],
)
def test_shapes_that_cannot_be_split(shape: Any, dimension: int, message: str) -> None:
    queue = InfeedQueue(tuple_shapes=[shape], shard_dimensions=[dimension])
    with pytest.raises(ValueError, match=message):
        queue.set_number_of_shards(2)


# ------------------------------------------------------------------ freezing


def test_freezing_sets_one_shard_along_dimension_0() -> None:
    queue = two_elements()
    queue.freeze()
    queue.freeze()
    assert facts(queue) == (2, ["float32", "int32"], [[4, 3], [8]], [0, 0], 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tuple_shapes": [[4]]}, "types of the elements are not set"),
        ({"tuple_types": [tf.float32]}, "tuple_shapes is None"),
        ({"tuple_types": [tf.float32], "tuple_shapes": [None]}, "known rank"),
    ],
)
def test_freezing_wants_types_and_shapes(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        InfeedQueue(**arguments).freeze()


def test_a_frozen_queue_takes_the_same_settings_again() -> None:
    queue = two_elements()
    queue.set_number_of_shards(2)
    queue.freeze()
    before = facts(queue)
    queue.set_tuple_types([tf.float32, tf.int32])
    queue.set_tuple_shapes([[4, 3], [8]])
    queue.set_shard_dimensions([0, None])
    queue.set_number_of_shards(2)
    assert facts(queue) == before


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("set_tuple_types", [tf.float32, tf.int64]),
        ("set_tuple_shapes", [[4, 3], [9]]),
        ("set_tuple_shapes", [[4, 3], [None]]),
        ("set_shard_dimensions", [1, 0]),
        ("set_number_of_shards", 4),
    ],
)
def test_a_frozen_queue_refuses_other_settings(method: str, value: Any) -> None:
    queue = two_elements()
    queue.set_number_of_shards(2)
    queue.freeze()
    before = facts(queue)
    with pytest.raises(ValueError, match="is frozen to .*, got "):
        getattr(queue, method)(value)
    assert facts(queue) == before


def test_a_queue_that_could_not_be_frozen_may_still_be_set_right() -> None:
    queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[5, 2]])
    queue.set_number_of_shards(2)
    with pytest.raises(ValueError, match="cannot be split"):
        queue.freeze()
    queue.set_shard_dimensions([1])
    queue.freeze()
    assert queue.shard_dimensions == [1]


# -------------------------------------------------- configuration by tensors


def test_configuration_from_tensors() -> None:
    queue = InfeedQueue(number_of_tuple_elements=2)
    queue.set_configuration_from_input_tensors([tf.zeros([4, 2]), tf.range(8)])
    expected = (2, ["float32", "int32"], [[4, 2], [8]], [None, None], None)
    assert facts(queue) == expected


def test_configuration_from_shards() -> None:
    queue = InfeedQueue(number_of_tuple_elements=2)
    queue.set_configuration_from_sharded_input_tensors(
        [[tf.zeros([2, 2]), tf.range(4)], [tf.zeros([2, 2]), tf.range(4)]]
    )
    assert facts(queue) == (2, ["float32", "int32"], [[4, 2], [8]], [0, 0], 2)


def test_configuration_from_shards_along_another_dimension() -> None:
    queue = InfeedQueue(shard_dimensions=[1])
    queue.set_configuration_from_sharded_input_tensors([[tf.zeros([4, 3])]] * 3)
    assert queue.tuple_shapes == [tf.TensorShape([4, 9])]


def test_shards_replace_a_shape_that_they_do_not_divide() -> None:
    queue = InfeedQueue(tuple_shapes=[[5]], shard_dimensions=[0])
    queue.set_configuration_from_sharded_input_tensors([[tf.zeros([3])]] * 2)
    assert queue.tuple_shapes == [tf.TensorShape([6])]


def test_values_take_the_declared_types() -> None:
    queue = InfeedQueue(tuple_types=[tf.float64], tuple_shapes=[[2]])
    queue.set_configuration_from_input_tensors([[1, 2]])
    assert facts(queue)[1:3] == (["float64"], [[2]])


def test_configuration_from_too_few_tensors() -> None:
    queue = InfeedQueue(number_of_tuple_elements=2)
    with pytest.raises(ValueError, match="expected a list of length 2"):
        queue.set_configuration_from_input_tensors([tf.zeros([4, 2])])
    with pytest.raises(ValueError, match="expected a list of length 2"):
        queue.set_configuration_from_sharded_input_tensors([[tf.zeros([2])]])
    with pytest.raises(ValueError, match="number_of_shards must be 1 or more"):
        queue.set_configuration_from_sharded_input_tensors([])


@pytest.mark.parametrize(
    ("first", "second", "error", "message"),
    [
        ([2, 2], [3, 2], ValueError, "not the shapes of 2 equal shards"),
        ([], [], ValueError, "has no dimension 0"),
        (None, None, ValueError, "has no dimension 0"),
        ([None, 3], [None, 3], TypeError, "is unknown"),
    ],
)
def test_shards_of_unfit_shapes(
    first: Any, second: Any, error: type[Exception], message: str
) -> None:
    shards = [[tf.placeholder(tf.float32, first)], [tf.placeholder(tf.float32, second)]]
    queue = InfeedQueue(number_of_tuple_elements=1)
    with pytest.raises(error, match=message):
        queue.set_configuration_from_sharded_input_tensors(shards)


def test_shards_of_different_types() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    with pytest.raises(TypeError, match="expected the same types in every shard"):
        queue.set_configuration_from_sharded_input_tensors(
            [[tf.zeros([2])], [tf.range(2)]]
        )


# ---------------------------------------------------------------- operations


def test_dequeue_operation() -> None:
    queue = two_elements()
    queue.set_number_of_shards(2)
    first, second = queue.generate_dequeue_op()
    assert first.op is second.op and first.op.type == "InfeedDequeueTuple"
    assert (first.name, second.name) == (
        "InfeedQueue/dequeue:0",
        "InfeedQueue/dequeue:1",
    )
    assert first.device == "/device:TPU_REPLICATED_CORE:0"
    assert (first.dtype, first.shape.as_list()) == (tf.float32, [2, 3])
    assert (second.dtype, second.shape.as_list()) == (tf.int32, [4])


def test_name_and_core_of_the_dequeue_operation() -> None:
    def dequeued(**arguments: Any) -> Any:
        queue = InfeedQueue(tuple_types=["int32"], tuple_shapes=[[4]], name="nm")
        return queue.generate_dequeue_op(**arguments)[0]

    assert dequeued().name == "nm/dequeue:0"
    assert dequeued(tpu_device=1).device == "/device:TPU_REPLICATED_CORE:1"
    assert dequeued(tpu_device=None).device == ""


def test_enqueue_operations() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    first, second = queue.generate_enqueue_ops([[tf.zeros([2])], [tf.ones([2])]])
    assert (first.type, second.type) == ("InfeedEnqueueTuple", "InfeedEnqueueTuple")
    assert (first.name, second.name) == (
        "InfeedQueue/enqueue/0",
        "InfeedQueue/enqueue/1",
    )
    assert [first.get_attr("device_ordinal"), first.device] == [-1, ""]
    assert facts(queue) == (1, ["float32"], [[4]], [0], 2)


def test_each_queue_takes_one_pair_of_operations_per_graph() -> None:
    queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    for _ in range(2):
        with tf.Graph().as_default():
            queue.generate_dequeue_op()
            queue.generate_enqueue_ops([[tf.zeros([2])]])
            with pytest.raises(ValueError, match="InfeedDequeueTuple of queue"):
                queue.generate_dequeue_op()
            with pytest.raises(ValueError, match="InfeedEnqueueTuple of queue"):
                queue.generate_enqueue_ops([[tf.zeros([2])]])
            with pytest.raises(ValueError, match="InfeedEnqueueTuple of queue"):
                queue.split_inputs_and_generate_enqueue_ops([tf.zeros([2])])


def test_enqueueing_stands_beside_its_tensors() -> None:
    with tf.device("/cpu:0"):
        here = tf.zeros([2])
    with tf.device("/cpu:1"):
        there = tf.zeros([2])
    with tf.device("/job:other"):
        first, second = InfeedQueue(1).generate_enqueue_ops([[here], [there]])
    assert (first.device, second.device) == ("/device:CPU:0", "/device:CPU:1")
    queue = InfeedQueue(number_of_tuple_elements=2)
    with pytest.raises(ValueError, match="'/device:CPU:0', '/device:CPU:1'"):
        queue.generate_enqueue_ops([[here, there]])
    with tf.device("/job:other"):
        (placed,) = queue.generate_enqueue_ops(
            [[here, there]], placement_function=lambda shard: "/task:3"
        )
    assert placed.device == "/job:other/task:3"


def test_ordinals_are_recorded() -> None:
    operations = InfeedQueue(1).generate_enqueue_ops(
        [[tf.zeros([2])], [tf.zeros([2])]], tpu_ordinal_function=lambda shard: shard + 5
    )
    assert [op.get_attr("device_ordinal") for op in operations] == [5, 6]


def test_splitting_spreads_over_hosts_of_eight_cores() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    queue.set_number_of_shards(16)
    operations = queue.split_inputs_and_generate_enqueue_ops([tf.zeros([16])])
    assert [(op.name, op.device, op.get_attr("device_ordinal")) for op in operations][
        6:10
    ] == [
        ("InfeedQueue/enqueue/6", "/task:0/device:CPU:0", 6),
        ("InfeedQueue/enqueue/7", "/task:0/device:CPU:0", 7),
        ("InfeedQueue/enqueue/8", "/task:1/device:CPU:0", 0),
        ("InfeedQueue/enqueue/9", "/task:1/device:CPU:0", 1),
    ]


def test_splitting_follows_the_device_assignment() -> None:
    assignment = tf.contrib.tpu.device_assignment(
        tf.contrib.tpu.Topology.for_mesh(4, 4, 2), [1, 1, 2], num_replicas=2
    )
    queue = InfeedQueue(number_of_tuple_elements=1)
    queue.set_number_of_shards(2)
    operations = queue.split_inputs_and_generate_enqueue_ops(
        [tf.zeros([4])], device_assignment=assignment
    )
    assert [op.device for op in operations] == [
        assignment.host_device(replica=0),
        assignment.host_device(replica=1),
    ]
    assert [op.get_attr("device_ordinal") for op in operations] == [0, 4]


def test_splitting_takes_placement_and_ordinal_functions() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    queue.set_number_of_shards(2)
    operations = queue.split_inputs_and_generate_enqueue_ops(
        [tf.zeros([4])],
        placement_function=lambda shard: f"/task:{shard}/cpu:0",
        tpu_ordinal_function=lambda shard: 7 - shard,
    )
    assert [(op.device, op.get_attr("device_ordinal")) for op in operations] == [
        ("/task:0/device:CPU:0", 7),
        ("/task:1/device:CPU:0", 6),
    ]


def test_one_shard_is_not_split() -> None:
    element = tf.zeros([4])
    queue = InfeedQueue(number_of_tuple_elements=1)
    (operation,) = queue.split_inputs_and_generate_enqueue_ops([element])
    assert operation.inputs == (element,)
    assert operation.device == "/task:0/device:CPU:0"
    assert facts(queue) == (1, ["float32"], [[4]], [0], 1)


def test_splitting_what_does_not_divide() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    queue.set_number_of_shards(2)
    with pytest.raises(ValueError, match=r"\(5,\) cannot be split into 2"):
        queue.split_inputs_and_generate_enqueue_ops([tf.zeros([5])])


# ------------------------------------------------------------------- running


def test_each_replica_takes_its_slice_after_its_inputs() -> None:
    queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    out = tf.tpu.replicate(lambda x, fed: x + fed[0], [[1.0], [2.0]], queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([10.0, 20.0])])
    with tf.Session() as sess:
        sess.run(enqueue)
        assert np.ravel(sess.run(out)).tolist() == [11.0, 22.0]
    assert queue.number_of_shards == 2


def test_elements_are_split_each_along_its_dimension() -> None:
    queue = InfeedQueue(
        tuple_types=[tf.float32, tf.int32],
        tuple_shapes=[[2, 4], [4]],
        shard_dimensions=[1, 0],
    )
    out = running(queue)
    wide, flat = np.arange(8, dtype=np.float32).reshape(2, 4), np.arange(4)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([wide, flat.astype(np.int32)])
    with tf.Session() as sess:
        (first_wide, first_flat), (last_wide, last_flat) = sess.run([out, enqueue])[0]
    np.testing.assert_array_equal(first_wide, wide[:, :2])
    np.testing.assert_array_equal(last_wide, wide[:, 2:])
    np.testing.assert_array_equal(first_flat, [0, 1])
    np.testing.assert_array_equal(last_flat, [2, 3])


def test_batches_arrive_in_order() -> None:
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    out = running(queue)
    batch = tf.placeholder(tf.int32, [2])
    enqueue = queue.split_inputs_and_generate_enqueue_ops([batch])
    with tf.Session() as sess:
        for start in (0, 10, 20):
            sess.run(enqueue, {batch: [start, start + 1]})
        taken = [np.ravel(sess.run(out)).tolist() for _ in range(3)]
    assert taken == [[0, 1], [10, 11], [20, 21]]


def test_shards_given_one_by_one() -> None:
    queue = InfeedQueue(number_of_tuple_elements=1)
    enqueue = queue.generate_enqueue_ops([[tf.constant([1, 2])], [tf.constant([3, 4])]])
    out = running(queue)
    with tf.Session() as sess:
        sess.run(enqueue)
        np.testing.assert_array_equal(sess.run(out), [[[1, 2]], [[3, 4]]])


def test_queues_of_the_same_name_are_kept_apart() -> None:
    queues = [InfeedQueue(tuple_types=["int32"], tuple_shapes=[[]]) for _ in range(2)]
    outs = [tf.tpu.rewrite(lambda fed: fed * 1, infeed_queue=q) for q in queues]
    enqueues = [
        q.generate_enqueue_ops([[tf.constant(k)]]) for k, q in enumerate(queues)
    ]
    with tf.Session() as sess:
        sess.run(enqueues)
        assert np.ravel(sess.run(outs)).tolist() == [0, 1]


def test_a_session_fills_what_another_empties() -> None:
    queue = InfeedQueue(number_of_tuple_elements=2)
    with tf.Graph().as_default() as feeding:
        first = tf.placeholder(tf.int32, [1])
        shards = [[first + core, first * 0] for core in range(3)]
        enqueues = queue.generate_enqueue_ops(shards)
    with tf.Graph().as_default() as computing:
        outs = tf.tpu.replicate(lambda a, b: a + b, [[]] * 3, infeed_queue=queue)
    with tf.Session(graph=feeding) as fills, tf.Session(graph=computing) as empties:
        for number in range(2):
            fills.run(enqueues, {first: [10 * number]})
        assert np.ravel(empties.run(outs)).tolist() == [0, 1, 2]
        assert np.ravel(empties.run(outs)).tolist() == [10, 11, 12]


def test_a_queue_is_empty_once_its_sessions_are_closed() -> None:
    queue = InfeedQueue(tuple_types=["int32"], tuple_shapes=[[]])
    out = tf.tpu.rewrite(lambda fed: fed * 1, infeed_queue=queue)
    (enqueue,) = queue.generate_enqueue_ops([[tf.constant(7)]])
    with tf.config.override(timeout=0.2):
        with tf.Session() as filled, tf.Session() as other:
            filled.run(enqueue)
            assert np.ravel(other.run(out)).tolist() == [7]
            filled.run(enqueue)
        with tf.Session() as empty, pytest.raises(tf.errors.DeadlineExceededError):
            empty.run(out)


def test_the_number_of_replicas_is_held_against_a_frozen_queue() -> None:
    queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    queue.set_number_of_shards(4)
    queue.freeze()
    with pytest.raises(ValueError, match="number_of_shards is frozen to 4, got 2"):
        running(queue)


def test_the_elements_count_as_arguments() -> None:
    queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    with pytest.raises(ValueError, match="argument"):
        tf.tpu.rewrite(lambda x: x, [1.0], infeed_queue=queue)


def test_the_end_of_the_input() -> None:
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    out = running(queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([1, 2])])
    close = queue.generate_close_op()
    with tf.Session() as sess:
        sess.run(enqueue)
        sess.run(enqueue)
        assert sess.run(close) is None
        sess.run(out)
        sess.run(out)
        with pytest.raises(tf.errors.OutOfRangeError, match=r"replica [01] took all 2"):
            sess.run(out)


def test_a_stall_is_reported_with_counts() -> None:
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]], name="images")
    out = running(queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([1, 2])])
    with tf.Session() as sess, tf.config.override(timeout=0.2):
        sess.run(enqueue)
        sess.run(out)
        sess.run(enqueue[1])
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            sess.run(out)
    message = str(caught.value)
    assert "'images' stalled: replica 0 took 1 tuples" in message
    assert "waiting by replica: {0: 0, 1: " in message  # a core may have taken its own
    assert "images/dequeue" in message


def test_enqueueing_from_another_thread_ends_the_wait() -> None:
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    out = running(queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([5, 6])])
    with tf.Session() as sess, soon(sess.run, enqueue):
        np.testing.assert_array_equal(sess.run(out), [[[5]], [[6]]])


def test_closing_from_another_thread_ends_the_wait() -> None:
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    out, close = running(queue), queue.generate_close_op()
    with tf.Session() as sess:
        ended = pytest.raises(tf.errors.OutOfRangeError, match="is exhausted")
        with soon(sess.run, close), ended:
            sess.run(out)


def test_eager_mode() -> None:
    with tf.eager_execution():
        queue = InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]], name="eager")
        queue.set_number_of_shards(2)
        for start in (0.0, 10.0):
            values = [tf.constant([start, start + 1.0])]
            assert queue.split_inputs_and_generate_enqueue_ops(values) == [None, None]
        taken = [running(queue) for _ in range(2)]
        assert queue.generate_close_op() is None
        with pytest.raises(tf.errors.OutOfRangeError, match="took all 2 tuples"):
            running(queue)
    values = [[float(e[0].numpy()[0]) for e in replicas] for replicas in taken]
    assert values == [[0.0, 1.0], [10.0, 11.0]]


def test_several_graphs() -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    for _ in range(2):
        with tf.Graph().as_default():
            same(queue.generate_dequeue_op()[0].name, "InfeedQueue/dequeue:0")
            queue.generate_enqueue_ops([[tf.zeros([2])]])
            expect_raises(ValueError, queue.generate_dequeue_op)


def test_values_for_tensors() -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float64], tuple_shapes=[[2]])
    queue.set_configuration_from_input_tensors([[1, 2]])
    same(facts_of(queue), configured(1, ["float64"], [[2]]))
    unset = one_element(tf)
    unset.set_configuration_from_sharded_input_tensors([[[1.0, 2.0]], [[3.0, 4.0]]])
    same(facts_of(unset), configured(1, ["float32"], [[4]], [0], 2))
    both = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
    call = both.set_configuration_from_sharded_input_tensors
    words = ["InfeedQueue: the shards of input_tensors have the types"]
    for shards in ([[1, 1.0], [1, 1]], [[1, 1], [1, 1.0]], [[1.0, 1], [1, 1]]):
        shards = [[[value] for value in shard] for shard in shards]
        refused(TypeError, words, call, shards)
    for unfit in (tf.float32, 5):
        expect_raises(TypeError, tf.contrib.tpu.InfeedQueue, tuple_types=unfit)
        expect_raises(TypeError, unset.set_configuration_from_input_tensors, unfit)
