"""What replicas receive: the queue from the host, and padded inputs of every layout."""

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


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
@pytest.mark.parametrize("visible", [True, False])
def test_padded_inputs_of_any_layout(executor, visible):
    """What the replicas receive from arrays of every layout, small and large."""
    random = np.random.default_rng(4)
    x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
    fetch = tf.tpu.replicate(
        lambda x: (x * 1.0, tf.reduce_sum(x)),
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([None, 40])],
    )
    whole = random.random((80, 80)).astype(np.float32)
    fed = [whole[:5, :3], whole[::2, 1::2], whole[::-1, :40], whole.T[:, :7]]
    settings = {"executor": executor, "cores": 2, "padding_visible": visible}
    with tf.config.override(**settings), tf.Session() as session:
        for one, other in zip(fed, reversed(fed), strict=True):
            rows = max(len(one), len(other))
            for (copy, total), array in zip(
                session.run(fetch, {x: one, y: other}), (one, other), strict=True
            ):
                assert copy.shape == ((rows, 40) if visible else array.shape)
                assert np.array_equal(copy[: array.shape[0], : array.shape[1]], array)
                assert total == pytest.approx(array.sum(dtype=np.float64), rel=1e-5)
