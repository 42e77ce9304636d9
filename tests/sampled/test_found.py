"""What sampled programs found, each as the smallest program that showed it."""

import numpy as np
import pytest

import tpuref as tf

from .executors import own_system


def on_the_pool(opened, outputs, feed_dict=None):
    with (
        tf.config.override(executor="pool", cores=2, timeout=20.0),
        opened(2) as session,
    ):
        return session.run(outputs, feed_dict)


def summed(dtype, groups):
    inputs = [[tf.constant(1, dtype)], [tf.constant(2, dtype)]]
    return tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x, groups), inputs)


def test_two_programs_with_operations_of_one_name(pool_session):
    totals = []
    for groups in (None, [[0], [1]], [[0, 1]]):
        with tf.Graph().as_default():
            totals.append(on_the_pool(pool_session, summed(tf.float32, groups)))
    assert totals == [[(3.0,), (3.0,)], [(1.0,), (2.0,)], [(3.0,), (3.0,)]]


def test_shuffling_nothing(pool_session):
    x = tf.placeholder(tf.float32, [0])
    out = tf.tpu.replicate(lambda v: tf.random_shuffle(v, seed=1), [[x], [x]])
    for (shuffled,) in on_the_pool(pool_session, out, {x: np.zeros(0)}):
        assert shuffled.shape == (0,)


# Sums round differently where elements lie in another order in memory, so the order
# may not depend on which core a value came from.

TALL = np.random.default_rng(3).standard_normal([300, 70]).astype(np.float32)


def column_sums(x):
    return tf.reduce_sum(x, axis=0), tf.reduce_sum(x)


def transposed_on_another_core():
    topology = tf.contrib.tpu.Topology.for_cores(2)
    cores = topology.device_coordinates.reshape(1, 2, 3)

    def computation():
        with tf.device(tf.tpu.core(0)):
            x = tf.transpose(tf.constant(TALL))
        with tf.device(tf.tpu.core(1)):
            return column_sums(x)

    assignment = tf.contrib.tpu.DeviceAssignment(topology, cores)
    return tf.tpu.replicate(computation, [[]], device_assignment=assignment), {}


def fed_with_a_view():
    x = tf.placeholder(tf.float32, [70, 300])
    return tf.tpu.replicate(column_sums, [[x]]), {x: TALL.T}


def transposed_by_the_host():
    x = tf.py_func(np.transpose, [tf.constant(TALL)], tf.float32)
    return tf.tpu.replicate(column_sums, [[x]]), {}


def transposed_by_a_host_call():
    def computation():
        return column_sums(tf.py_func(np.transpose, [tf.constant(TALL)], tf.float32))

    return tf.tpu.replicate(computation, [[]]), {}


@pytest.mark.parametrize(
    "build",
    [
        transposed_on_another_core,
        fed_with_a_view,
        transposed_by_the_host,
        transposed_by_a_host_call,
    ],
)
def test_views_round_as_copies_do(build, pool_session):
    outputs, fed = build()
    (on_cores,) = on_the_pool(pool_session, outputs, fed)
    with tf.config.override(executor="lockstep", cores=2), own_system(2) as session:
        (expected,) = session.run(outputs, fed)
    for a, b in zip(on_cores, expected, strict=True):
        assert a.tobytes() == b.tobytes()
