"""The queue between host and replicas."""

from __future__ import annotations

import concurrent.futures
import time
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning.infeed import CAPACITY, Infeed


def tuples(*values: float) -> Any:
    return tuple(np.float32(value) for value in values)


def test_first_in_first_out_for_each_replica() -> None:
    infeed = Infeed("images")
    for value in (1.0, 2.0):
        infeed.enqueue(0, tuples(value))
        infeed.enqueue(1, tuples(value * 10, value * 100))
    assert infeed.dequeue(1, 1.0) == (10.0, 100.0)
    assert infeed.dequeue(0, 1.0) == (1.0,)
    assert infeed.dequeue(0, 1.0) == (2.0,)
    assert infeed.dequeue(1, 1.0) == (20.0, 200.0)


def test_what_is_queued_outlives_the_end():
    infeed = Infeed("images")
    infeed.enqueue(0, tuples(1.0))
    infeed.close()
    assert infeed.dequeue(0, 1.0) == (1.0,)
    for replica, count in ((0, 1), (0, 1), (1, 0), (2, 0)):
        message = f"'images'.*replica {replica} took all {count} tuples"
        with pytest.raises(tf.errors.OutOfRangeError, match=message):
            infeed.dequeue(replica, 1.0)


def test_a_stall_is_an_error_at_the_deadline() -> None:
    infeed = Infeed("images")
    infeed.enqueue(0, tuples(1.0))
    infeed.enqueue(1, tuples(1.0))
    infeed.dequeue(0, 1.0)
    began = time.monotonic()
    with pytest.raises(tf.errors.DeadlineExceededError) as raised:
        infeed.dequeue(0, 0.05)
    assert 0.04 <= time.monotonic() - began < 5.0
    message = str(raised.value)
    assert "replica 0 took 1 tuples and waited 0.05 s" in message
    assert "{0: 0, 1: 1}" in message
    assert "generate_enqueue_ops" in message


def test_a_full_queue_refuses_more() -> None:
    infeed = Infeed("images")
    for _ in range(CAPACITY):
        infeed.enqueue(0, tuples(1.0))
    with pytest.raises(tf.errors.ResourceExhaustedError) as raised:
        infeed.enqueue(0, tuples(1.0))
    assert f"{CAPACITY} tuples for replica 0" in str(raised.value)
    infeed.enqueue(1, tuples(1.0))  # the others have room
    infeed.dequeue(0, 1.0)
    infeed.enqueue(0, tuples(1.0))


def test_waiting_ends_when_something_comes_and_with_the_input():
    infeed = Infeed("images")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(infeed.dequeue, 0, 30.0)
        infeed.enqueue(1, tuples(5.0))  # which is for another replica
        infeed.enqueue(0, tuples(7.0))
        assert waiting.result(10.0) == (7.0,)
        waiting = pool.submit(infeed.dequeue, 0, 30.0)
        infeed.close()
        with pytest.raises(tf.errors.OutOfRangeError):
            waiting.result(10.0)


def test_a_wait_ends_where_its_watch_says_so() -> None:
    infeed = Infeed("images")
    calls: list[int] = []

    def watch() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise tf.errors.AbortedError("a core was lost")

    with pytest.raises(tf.errors.AbortedError, match="a core was lost"):
        infeed.dequeue(0, 60.0, watch)


# -- within computations -------------------------------------------------------


def test_a_loop_on_the_cores_takes_one_tuple_per_turn(session: Any) -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    queue.set_number_of_shards(2)

    def body(i: Any, total: Any) -> Any:
        (x,) = queue.generate_dequeue_op()
        return i + 1, total + tf.reduce_sum(x)

    def computation() -> Any:
        return tf.while_loop(lambda i, _: i < 3, body, [0, 0.0])[1]

    out = tf.tpu.replicate(computation, [[], []])
    x = tf.placeholder(tf.float32, [2])
    fill = queue.split_inputs_and_generate_enqueue_ops([x])
    for turn in range(3):
        session.run(fill, {x: [turn + 1.0, 10.0 * (turn + 1)]})
    assert session.run(out) == [(6.0,), (60.0,)]


def test_a_computation_sees_the_end_of_the_input(session: Any) -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[]])
    out = tf.tpu.rewrite(lambda x: x + 1, infeed_queue=queue)  # what takes
    session.run(queue.split_inputs_and_generate_enqueue_ops([1.0]))
    session.run(queue.generate_close_op())
    assert session.run(out) == (2.0,)
    with pytest.raises(tf.errors.OutOfRangeError, match="is exhausted") as raised:
        session.run(out)
    assert "# what takes" in str(raised.value)


def test_a_stalled_computation_names_the_place(session):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[]])
    out = tf.tpu.rewrite(lambda x: x, infeed_queue=queue)  # what waits
    stalled = pytest.raises(tf.errors.DeadlineExceededError, match="# what waits")
    with tf.config.override(timeout=0.05), stalled:
        session.run(out)
