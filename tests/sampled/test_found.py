"""What sampled programs found, each as the smallest program that showed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tpuref as tf

Opened = Callable[[int], Any]


def on_the_pool(opened: Opened, outputs: Any, feed_dict: Any = None) -> Any:
    with (
        tf.config.override(executor="pool", cores=2, timeout=20.0),
        opened(2) as session,
    ):
        return session.run(outputs, feed_dict)


def summed(dtype: Any, groups: Any) -> Any:
    inputs = [[tf.constant(1, dtype)], [tf.constant(2, dtype)]]
    return tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x, groups), inputs)


def test_two_programs_with_operations_of_one_name(pool_session: Opened) -> None:
    totals = []
    for groups in (None, [[0], [1]], [[0, 1]]):
        with tf.Graph().as_default():
            totals.append(on_the_pool(pool_session, summed(tf.float32, groups)))
    assert totals == [[(3.0,), (3.0,)], [(1.0,), (2.0,)], [(3.0,), (3.0,)]]


def test_shuffling_nothing(pool_session: Opened) -> None:
    x = tf.placeholder(tf.float32, [0])
    out = tf.tpu.replicate(lambda v: tf.random_shuffle(v, seed=1), [[x], [x]])
    for (shuffled,) in on_the_pool(pool_session, out, {x: np.zeros(0)}):
        assert shuffled.shape == (0,)
