"""Errors that a core or a host function raises: the first arrives, the pool stays."""

import contextlib
import resource
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.pool import arena

from .computations import LARGE, calling, replicate, turning
from .processes import PROMPTLY, within


def failing(pool, fetch, kind, feed=None):
    """The error of a run, which comes promptly."""
    with within(PROMPTLY), pytest.raises(kind) as caught:
        pool.session.run(fetch, feed)
    return caught.value


def forgiven(pool, fetch, kind):
    """The error of a run after which the same processes go on."""
    pids = pool.pids
    error = failing(pool, fetch, kind)
    assert pool.works and pool.pids == pids
    return error


def on_the_last(action, otherwise):
    """Do one thing on the last of three replicas and another on the others."""
    return lambda r: tf.cond(tf.equal(r, 2), lambda: action(r), lambda: otherwise(r))


def out_of_range(replica):
    return tf.gather([1, 2, 3], replica + 10)


@pytest.mark.parametrize("size", [1, LARGE], ids=["flat", "direct"])
def test_an_operation_fails_while_others_wait_in_a_sum(pool, size):
    def computation(replica):
        x = tf.cast(on_the_last(out_of_range, lambda r: r)(replica), tf.float32)
        return tf.tpu.cross_replica_sum(tf.ones([size]) * x)

    kind = tf.errors.InvalidArgumentError
    for _ in range(3):
        error = forgiven(pool, replicate(computation, 3), kind)
        assert "on replica 2" in str(error) and "test_errors.py" in str(error)
        assert "gather" in error.op.name.lower()
        assert f"core 2, replica 2, process {pool.pids[2]}:\n" in str(error.__cause__)
        assert 'indexing.py", line' in str(error.__cause__)


def test_an_operation_fails_while_others_turn_in_a_loop(pool):
    fetch = replicate(on_the_last(out_of_range, turning), 3)
    forgiven(pool, fetch, tf.errors.InvalidArgumentError)


def test_others_are_in_a_long_operation(pool):
    """They are ended, and new ones started for the next run, as nothing was lost."""

    def long(r):
        x = tf.ones([4500, 4500]) * tf.cast(r, tf.float32)
        return tf.cast(tf.reduce_sum(x @ x), tf.int32)

    pids = pool.pids
    fetch = replicate(on_the_last(out_of_range, long), 3)
    failing(pool, fetch, tf.errors.InvalidArgumentError)
    assert pool.session.run(replicate(lambda r: r + 1, 3)) == [(1,), (2,), (3,)]
    assert pool.works and len(pool.pids) == len(pids)


def test_a_host_function_raises_while_others_wait(pool):
    def host(value):
        if value == 2:
            raise ValueError("not this one")
        return value

    def computation(replica):
        return tf.tpu.cross_replica_sum(calling(host)(replica))

    error = forgiven(pool, replicate(computation, 3), tf.errors.InvalidArgumentError)
    assert "ValueError: not this one" in str(error) and "replica 2" in str(error)


def test_nothing_of_the_host_is_called_after_a_failure(pool):
    called = []

    def turning_for_a_while(r):
        return tf.while_loop(lambda i: i < 2000, lambda i: i + 1, [r])

    def computation(replica):
        first = on_the_last(out_of_range, turning_for_a_while)(replica)
        return calling(lambda v: called.append(int(v)) or v)(first)

    failing(pool, replicate(computation, 3), tf.errors.InvalidArgumentError)
    assert called == []
    assert pool.works


@pytest.mark.parametrize("failing_core", [0, 1])
def test_a_core_fails_for_whose_value_another_waits(make_pool, failing_core):
    pool = make_pool(2)
    topology = tf.contrib.tpu.Topology(pool.session.run(tf.tpu.initialize_system()))
    assignment = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=1)

    def computation(x):
        with tf.device(tf.contrib.tpu.core(failing_core)):
            y = tf.gather([1.0, 2.0], x + 10)
        with tf.device(tf.contrib.tpu.core(1 - failing_core)):
            return y + 1.0

    fetch = tf.tpu.replicate(computation, [[1]], device_assignment=assignment)
    forgiven(pool, fetch, tf.errors.InvalidArgumentError)


def test_more_memory_than_there_is(pool):
    fetch = replicate(lambda r: tf.reduce_sum(tf.ones([1 << 45]) * tf.to_float(r)), 3)
    error = forgiven(pool, fetch, tf.errors.ResourceExhaustedError)
    assert "bytes are available" in str(error) and "Unable to allocate" in str(error)
    assert "on replica" in str(error) and "test_errors.py" in str(error)


def test_a_core_may_not_have_more_memory(make_pool):
    pool = make_pool(2)
    n = tf.placeholder(tf.int32, [])
    fetch = replicate(
        lambda r: tf.tpu.cross_replica_sum(tf.zeros([n]) + tf.to_float(r)), 2
    )
    size, first = 1 << 24, pool.pids[0]
    statm = Path(f"/proc/{first}/statm").read_text()
    mapped = int(statm.split()[0]) * resource.getpagesize()
    limits = resource.prlimit(first, resource.RLIMIT_AS, (mapped + size, -1))
    error = failing(pool, fetch, tf.errors.ResourceExhaustedError, {n: size})
    assert "on replica 0" in str(error) and "64.0 MiB" in str(error)
    assert "bytes are available" in str(error) and "test_errors.py" in str(error)
    with contextlib.suppress(ProcessLookupError):  # it was late, and replaced
        resource.prlimit(first, resource.RLIMIT_AS, limits)
    assert np.shape(pool.session.run(fetch, {n: size})) == (2, 1, size)


@pytest.mark.parametrize("summed", [True, False], ids=["sum", "result"])
def test_no_memory_is_left_to_share(pool, summed):
    """The core says what it needs and what is there, and does not touch any."""
    arena = "tpuref.engine.runtime.pool.arena"
    pool.plant(1, f"import {arena} as a; a.available_bytes = lambda: 5000")

    def computation(replica):
        x = tf.ones([1 << 20, 2]) * tf.to_float(replica)
        masked = tf.boolean_mask(x, x[:, 0] < 9)
        return tf.tpu.cross_replica_sum(x) if summed else masked

    error = failing(pool, replicate(computation, 3), tf.errors.ResourceExhaustedError)
    assert "more bytes of shared memory, 5000 are available" in str(error)
    assert "on replica 1" in str(error)
    assert "test_errors.py" in str(error) or not summed
    assert pool.works


def test_the_host_may_not_have_more_memory(pool, monkeypatch):
    x, data = tf.placeholder(tf.float32, [None]), np.ones(1 << 22, np.float32)
    fetch = tf.tpu.replicate(tf.reduce_sum, [[x]] * 3)
    monkeypatch.setattr(arena, "available_bytes", lambda: 5000)
    message = f"need {data.nbytes} more bytes.*5000 are available"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=message):
        pool.session.run(fetch, {x: data})
    monkeypatch.undo()
    assert pool.session.run(fetch, {x: data}) == [(float(1 << 22),)] * 3


def test_shutting_down_within_a_host_function_is_refused(pool):
    def host(value):
        with tf.Graph().as_default(), tf.Session() as inner:
            inner.run(tf.tpu.shutdown_system())
        return value

    fetch = replicate(calling(host), 3)
    error = failing(pool, fetch, tf.errors.FailedPreconditionError)
    assert "host function" in str(error)
    assert pool.works


def test_replicating_within_a_host_function(pool):
    def host(value):
        with tf.Graph().as_default(), tf.Session() as inner:
            out = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1]] * 3)
            return np.int32(inner.run(out)[0][0] + value)

    assert pool.session.run(replicate(calling(host), 3)) == [(3,), (4,), (5,)]
