"""A core that stops or never comes is reported, and given up at the deadline."""

import logging
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tpuref as tf

from .computations import (
    LARGE,
    calling,
    replicate,
    summing,
    turning,
    waiting_for_the_last,
)
from .processes import PROMPTLY, Later, state_of, works_again


@pytest.fixture
def warnings(caplog):
    """The text of what was logged."""
    caplog.set_level(logging.WARNING, logger="tpuref")
    return lambda: [r.getMessage() for r in caplog.records if r.name == "tpuref.stall"]


def stalled(pool, fetch, timeout):
    """The message of a run that gets nowhere."""
    with tf.config.override(timeout=timeout):
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            pool.session.run(fetch)
        assert timeout < time.monotonic() - start < timeout + 0.5 + PROMPTLY
    return str(caught.value)


def test_a_core_is_stopped_in_a_sum(pool, warnings):
    pid = pool.pids[1]
    with Later(0.2, signal.SIGSTOP, pid):
        message = stalled(pool, replicate(summing(LARGE), 3), 1.0)
    assert "replicas [1]" in message and "CrossReplicaSum" in message
    assert f"missing: core 1 (replica 1, logical core 0, process {pid})" in message
    assert "a signal such as SIGSTOP holds it" in message
    assert "computations.py" in message and "initialize_system" in message
    (warning,) = warnings()
    assert "made no progress for 0.1 s and ends after 1 s (TPUREF_TIMEOUT)" in warning
    assert "missing: core 1 " in warning and "waits: core 0 " in warning
    assert "SIGSTOP" in warning
    assert state_of(pid) == ""
    with pytest.raises(tf.errors.FailedPreconditionError, match="did not answer"):
        pool.session.run(replicate(summing(LARGE), 3))
    assert works_again(pool)


@pytest.mark.parametrize("computation", [turning, None], ids=["computing", "idle"])
def test_cores_are_stopped_that_nobody_else_waits_for(pool, warnings, computation):
    fetch = replicate(computation or (lambda replica: replica + 1), 3)
    if computation is None:
        for pid in pool.pids:
            os.kill(pid, signal.SIGSTOP)
        message = stalled(pool, fetch, 0.5)
    else:
        with Later(0.2, signal.SIGSTOP, *pool.pids):
            message = stalled(pool, fetch, 0.5)
    assert "made no progress for 0.5 s" in message
    assert all(f"missing: core {core} " in message for core in range(3))
    assert len(warnings()) == 1


def test_a_core_that_goes_on_in_time_is_forgiven(pool, warnings):
    fetch = tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x), [[1.0]] * 3)
    pids = pool.pids
    os.kill(pids[1], signal.SIGSTOP)
    with tf.config.override(timeout=5.0), Later(1.0, signal.SIGCONT, pids[1]):
        assert pool.session.run(fetch) == [(3.0,)] * 3
    assert "missing: core 1 " in warnings()[0]
    assert pool.pids == pids


def test_a_replica_that_never_comes(pool, warnings):
    pids = pool.pids
    message = stalled(pool, replicate(waiting_for_the_last(1, 3), 3), 2.0)
    assert "CrossReplicaSum: replica 0 waited 2 s (TPUREF_TIMEOUT)" in message
    assert "for replicas [2]" in message and "computations.py" in message
    (warning,) = warnings()
    assert "missing: core 2 (replica 2" in warning
    assert "(most recent call first)" in warning and 'prepared.py", line' in warning
    assert pool.works and pool.pids == pids  # the loop saw that it was called off


def lasts(seconds, run, size):
    """Run with larger and larger sizes, until a run lasts that long."""
    start = time.monotonic()
    run(size)
    while time.monotonic() - start < seconds:
        size += size // 2
        start = time.monotonic()
        run(size)


def test_a_long_run_that_gets_on_has_no_deadline(pool, warnings):
    turns = tf.placeholder(tf.int32, [])

    def computation(replica):
        del replica
        return tf.while_loop(
            lambda i, _: i < turns,
            lambda i, y: (i + 1, tf.tpu.cross_replica_sum(y) / 3),
            [0, 1.0],
        )[1]

    fetch = replicate(computation, 3)

    def run(size):
        assert pool.session.run(fetch, {turns: size}) == [(1.0,)] * 3

    with tf.config.override(timeout=0.3):
        lasts(0.4, run, 8000)


def test_a_long_operation_has_no_deadline(make_pool, warnings):
    pool = make_pool(1)
    x = tf.placeholder(tf.float32, [None, None])
    fetch = tf.tpu.replicate(lambda x: tf.reduce_sum(x @ x), [[x]])

    def run(size):
        pool.session.run(fetch, {x: np.ones([size, size], np.float32)})

    with tf.config.override(timeout=0.1):
        lasts(0.2, run, 2000)
    assert warnings() == []


def slow(seconds):
    """Return a computation that calls a slow function of the host."""
    return calling(lambda value: time.sleep(seconds) or value)


def test_a_slow_host_function_has_no_deadline(pool, warnings):
    def computation(replica):
        return tf.tpu.cross_replica_sum(slow(0.3)(replica))

    with tf.config.override(timeout=0.2):
        assert pool.session.run(replicate(computation, 3)) == [(3,)] * 3
    assert warnings() == []


def test_a_core_is_stopped_while_it_takes_a_large_program(pool):
    large = np.arange(1 << 20, dtype=np.float32)
    fetch = tf.tpu.replicate(lambda x: tf.reduce_sum(x + large), [[1.0]] * 3)
    os.kill(pool.pids[1], signal.SIGSTOP)
    assert "missing: core 1 " in stalled(pool, fetch, 0.5)


def test_a_run_that_waits_for_cores_which_another_holds(pool, warnings):
    with ThreadPoolExecutor(1, "the holder") as threads:
        held = threads.submit(pool.session.run, replicate(turning, 3))
        time.sleep(0.3)
        quick = replicate(lambda replica: replica + 1, 3)
        message = stalled(pool, quick, 1.0)
        assert "waited 1 s (TPUREF_TIMEOUT) for the cores" in message
        assert "a run of 'cluster' in thread 'the holder_0' for 1." in message
        (warning,) = warnings()
        assert "has waited 0.1 s for the cores" in warning
        assert "in thread 'the holder_0'" in warning and "ends after 1 s" in warning
        assert not held.done()
        pool.session.run(tf.tpu.shutdown_system())
        with pytest.raises(tf.errors.AbortedError):
            held.result(PROMPTLY)
    pool.session.run(tf.tpu.initialize_system())
    assert pool.session.run(quick) == [(1,), (2,), (3,)]


def test_a_run_that_waits_gets_its_turn(make_pool, warnings):
    pool = make_pool(2)
    with tf.config.override(timeout=5.0), ThreadPoolExecutor(1) as threads:
        first = threads.submit(pool.session.run, replicate(slow(0.6), 2))
        time.sleep(0.1)
        assert pool.session.run(replicate(lambda r: r + 1, 2)) == [(1,), (2,)]
        first.result(PROMPTLY)
    (warning,) = warnings()
    assert "has waited 0.5 s for the cores" in warning
