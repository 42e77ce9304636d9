"""Computations that keep their cores where a test wants them."""

import numpy as np

import tpuref as tf

FOREVER = 10**9
LARGE = 1 << 16
"""Elements of a sum that takes the shared result, not the slots of the links."""


def replicate(computation, cores):
    """Replicate a computation that receives the number of its replica."""
    return tf.tpu.replicate(computation, [[replica] for replica in range(cores)])


def calling(function):
    """Call a function of the host with the number of the replica."""

    def computation(replica):
        out = tf.tpu.outside_compilation(
            lambda r: tf.py_func(function, [r], tf.int32), replica
        )
        return tf.reshape(out, [])

    return computation


def turning(replica):
    """Turn in a loop, on every replica."""
    return tf.while_loop(lambda i: i < FOREVER, lambda i: i + 1, [replica])


def multiplying(replica):
    """Be in one long operation after the other."""
    x = tf.ones([1500, 1500])
    return tf.while_loop(lambda i, _: i < FOREVER, lambda i, y: (i + 1, x @ y), [0, x])


def waiting_for_the_last(size, cores):
    """Let all but the last replica wait in a sum, which the last never comes to."""

    def computation(replica):
        turns = tf.where(tf.equal(replica, cores - 1), FOREVER, 0)
        last = tf.while_loop(lambda i: i < turns, lambda i: i + 1, [0])
        return tf.tpu.cross_replica_sum(tf.ones([size]) * tf.cast(last, tf.float32))

    return computation


def summing(size):
    """Sum over the replicas, again and again."""

    def computation(replica):
        del replica
        return tf.while_loop(
            lambda i, _: i < FOREVER,
            lambda i, y: (i + 1, tf.tpu.cross_replica_sum(y)),
            [0, tf.constant(np.zeros(size, np.float32))],
        )

    return computation


def exchanging(replica):
    """Take a large and a small sum in one exchange, again and again."""
    del replica
    held = [tf.zeros([LARGE]), tf.zeros([3])]
    return tf.while_loop(
        lambda i, *_: i < FOREVER,
        lambda i, *held: (i + 1, *map(tf.tpu.cross_replica_sum, held)),
        [0, *held],
    )


NAMES = "slope", "offset", "loss"


def exchanging_by_name(replica):
    """Take three sums that have names in one exchange, again and again."""
    del replica
    held = [tf.zeros([size]) for size in (3, 4, 5)]

    def turn(i, *held):
        named = zip(held, NAMES, strict=True)
        return i + 1, *(tf.tpu.cross_replica_sum(x, name=name) for x, name in named)

    return tf.while_loop(lambda i, *_: i < FOREVER, turn, [0, *held])
