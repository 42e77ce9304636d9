"""The infeed queue: configuration, the operations it makes, and what arrives."""

import threading

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused

InfeedQueue = tf.contrib.tpu.InfeedQueue


pytestmark = pytest.mark.usefixtures("short_waits")


def two_elements():
    return InfeedQueue(tuple_types=[tf.float32, tf.int32], tuple_shapes=[[4, 3], [8]])


def facts(queue):
    """Return number of elements, types, shapes, dimensions and number of shards."""
    return (
        queue.number_of_tuple_elements,
        queue.tuple_types,
        queue.tuple_shapes,
        queue.shard_dimensions,
        queue.number_of_shards,
    )


def running(queue):
    """Return a computation that gives two replicas' elements as they arrive."""
    return tf.tpu.replicate(lambda *fed: [e * 1 for e in fed], [[], []], queue)


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
def test_a_refused_setting_changes_nothing(method, value, error):
    queue = two_elements()
    before = facts(queue)
    with pytest.raises(error, match="InfeedQueue"):
        getattr(queue, method)(value)
    assert facts(queue) == before


def test_the_lists_of_a_queue_cannot_be_changed_from_outside():
    queue = two_elements()
    for values in (queue.tuple_types, queue.tuple_shapes, queue.shard_dimensions):
        values.clear()
    assert facts(queue)[1:4] == (["float32", "int32"], [[4, 3], [8]], [None, None])


def test_a_session_fills_what_another_empties():
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


def test_a_queue_is_empty_once_its_sessions_are_closed():
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


def test_a_stall_is_reported_with_counts():
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]], name="images")
    out = running(queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([1, 2])])
    with tf.Session() as sess, tf.config.override(timeout=0.2):
        sess.run(enqueue)
        sess.run(out)
        sess.run(enqueue[1])
        words = ["'images' stalled: replica 0 took 1 tuples"]
        words.append("waiting by replica: {0: 0, 1: ")  # a core may have taken its own
        words.append("images/dequeue")
        refused(tf.errors.DeadlineExceededError, words, sess.run, out)


def test_enqueueing_from_another_thread_ends_the_wait(session):
    queue = InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    out = running(queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.constant([5, 6])])
    feeder = threading.Timer(0.1, session.run, [enqueue])
    feeder.start()
    try:
        np.testing.assert_array_equal(session.run(out), [[[5]], [[6]]])
    finally:
        feeder.join()
