"""The queue between host and replicas."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning.infeed import CAPACITY, Infeed


def tuples(*values):
    return tuple(np.float32(value) for value in values)


def test_a_full_queue_refuses_more():
    infeed = Infeed("images")
    for _ in range(CAPACITY):
        infeed.enqueue(0, tuples(1.0))
    with pytest.raises(tf.errors.ResourceExhaustedError) as raised:
        infeed.enqueue(0, tuples(1.0))
    assert f"{CAPACITY} tuples for replica 0" in str(raised.value)
    infeed.enqueue(1, tuples(1.0))  # the others have room
    infeed.dequeue(0, 1.0)
    infeed.enqueue(0, tuples(1.0))


def test_a_wait_ends_where_its_watch_says_so():
    infeed = Infeed("images")
    calls: list[int] = []

    def watch():
        calls.append(1)
        if len(calls) == 2:
            raise tf.errors.AbortedError("a core was lost")

    with pytest.raises(tf.errors.AbortedError, match="a core was lost"):
        infeed.dequeue(0, 60.0, watch)
