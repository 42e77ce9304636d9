"""What variables hold after processes were killed: no value that a run left is lost."""

import os
import signal

import numpy as np
import pytest

import tpuref as tf

SIZES = pytest.mark.parametrize("size", [3, 10_000], ids=["small", "large"])


def counter(size):
    """A variable the replicas count up, one they only read, its value, and the sum."""
    once = np.arange(size, dtype=np.float32)
    count = tf.get_variable("count", initializer=np.zeros(size, np.float32))
    step = tf.get_variable("step", initializer=once)
    add = tf.tpu.replicate(lambda: tf.assign_add(count, step), [[]] * 3)
    return count, step, once, add


@SIZES
def test_killed_between_runs(pool, size):
    count, step, once, add = counter(size)
    pool.session.run(tf.global_variables_initializer())
    for turn in range(1, 3):
        pool.session.run(add)
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(tf.errors.AbortedError):
            pool.session.run(add)
        np.testing.assert_array_equal(pool.session.run(count), turn * once)
        np.testing.assert_array_equal(pool.session.run(step), once)
        pool.initialize()
        np.testing.assert_array_equal(pool.session.run(count), turn * once)


@SIZES
def test_killed_within_a_run(pool, size):
    """The value from before the run stays, though replicas had a new one already."""
    count, step, once, add = counter(size)

    def kill(replica):
        if replica == 2:
            os.kill(pool.pids[2], signal.SIGKILL)
        return replica

    def computation(replica):
        with tf.control_dependencies([tf.assign_add(count, step)]):
            replica = tf.identity(replica)
        return tf.tpu.outside_compilation(
            lambda: tf.py_func(kill, [replica], tf.int32, stateful=True)
        )

    killing = tf.tpu.replicate(computation, [[0], [1], [2]])
    pool.session.run(tf.global_variables_initializer())
    pool.session.run(add)
    with pytest.raises(tf.errors.AbortedError):
        pool.session.run(killing)
    pool.initialize()
    np.testing.assert_array_equal(pool.session.run(count), once)
    pool.session.run(add)
    np.testing.assert_array_equal(pool.session.run(count), 2 * once)
