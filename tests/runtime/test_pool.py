"""The pool by itself: who may use it, when it is ended, what it keeps."""

import concurrent.futures
import contextlib
import gc
import os
import re
import signal
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref import kernels
from tpuref.base.errors import FailedPreconditionError
from tpuref.engine.runtime import pool as pool_package
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.host.pool import CACHED_PROGRAMS, CorePool
from tpuref.engine.runtime.system import LOCAL

from ..crashes.processes import state_of


@pytest.fixture
def session():
    settings = tf.config.override(executor="pool", cores=2, processes="cores")
    with tf.Session() as opened, settings:
        opened.run(tf.tpu.initialize_system())
        yield opened


def executor():
    """The pool of this process's system."""
    pool = LOCAL._systems["localhost"]._executor
    assert isinstance(pool, CorePool)
    return pool


def replicated(computation):
    return tf.tpu.replicate(computation, [[0.0], [1.0]])


def test_its_processes_end_when_nobody_holds_it():
    with tf.config.override(processes="cores"):
        pool = CorePool(2)
    pids, reference = pool.process_ids, weakref.ref(pool)
    assert len(set(pids)) == 2 and all(map(state_of, pids))
    del pool
    gc.collect()
    assert reference() is None
    assert not any(map(state_of, pids))
    pool = CorePool(1)
    before = pool.process_ids
    for _ in range(3):
        pool.close()
        pool.retire()
    assert not any(map(state_of, before))


def test_two_pools_have_nothing_in_common(session):
    fetch = replicated(tf.tpu.cross_replica_sum)
    other = CorePool(2)
    assert not set(other.process_ids) & set(executor().process_ids)
    for pid in other.process_ids:
        os.kill(pid, signal.SIGKILL)
    assert session.run(fetch) == [(1.0,), (1.0,)]
    other.close()


def test_a_new_start_gives_new_processes(session):
    fetch = replicated(tf.tpu.cross_replica_sum)
    first = executor().process_ids
    assert session.run(fetch) == [(1.0,), (1.0,)]
    assert executor().process_ids == first, "a run does not start any"
    session.run(tf.tpu.initialize_system())
    second = executor().process_ids
    assert not set(first) & set(second) and not any(map(state_of, first))
    assert session.run(fetch) == [(1.0,), (1.0,)]
    session.run(tf.tpu.shutdown_system())
    assert not any(map(state_of, second))
    with pytest.raises(FailedPreconditionError, match="test_pool.py"):
        session.run(fetch)


@pytest.mark.parametrize("fed", [2, 0, -1])
def test_a_session_ends_with_its_last_reference(session, fed):
    def on_host(x):
        assert x >= 0
        return x

    def divide(x):
        return 6 // tf.tpu.outside_compilation(tf.py_func, on_host, [x], x.dtype)

    x = tf.placeholder(tf.int32, [])
    step, other = tf.tpu.rewrite(divide, [x]), tf.Session()
    gc.disable()
    try:
        with contextlib.suppress(tf.errors.OpError):  # of the core, or of the host
            other.run(step, {x: fed})
        kept = weakref.ref(other), weakref.ref(other._executor.state)
        del other
        assert [reference() for reference in kept] == [None, None]
    finally:
        gc.enable()


def test_programs_are_sent_once(session):
    fetch = replicated(lambda x: x + 1.0)
    cores, sent = executor()._cores, []
    post = cores.post_to_all
    cores.post_to_all = lambda message: sent.append(message[0]) or post(message)
    for _ in range(3):
        assert session.run(fetch) == [(1.0,), (2.0,)]
    assert sent == ["program", "place"]
    del cores.post_to_all


def test_old_programs_are_forgotten(session):
    fetch = replicated(lambda x: x + 1.0)
    session.run(fetch)
    for number in range(CACHED_PROGRAMS + 3):
        with tf.Graph().as_default(), tf.Session() as other:
            own = replicated(lambda x, n=number: x + float(n))
            assert other.run(own)[0][0] == number
    assert len(executor()._programs) == CACHED_PROGRAMS
    assert session.run(fetch) == [(1.0,), (2.0,)]


def test_threads_take_turns(session):
    x = tf.placeholder(tf.float32, [])
    fetch = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[x], [x]])

    def use(number):
        for turn in range(50):
            value = float(number * 1000 + turn)
            assert session.run(fetch, {x: value}) == [(2 * value,)] * 2

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(use, range(4))) == [None] * 4


def test_a_shutdown_ends_the_run_of_another_thread(session):
    endless = replicated(
        lambda x: tf.while_loop(lambda y: y < 9e9, lambda y: y * 1.0, [x])
    )
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        run = threads.submit(session.run, endless)
        time.sleep(0.3)
        pids = executor().process_ids
        session.run(tf.tpu.shutdown_system())
        ended = tf.errors.AbortedError, FailedPreconditionError
        with pytest.raises(ended, match="shut down"):
            run.result(30.0)
    assert not any(map(state_of, pids))


def test_inputs_are_not_changed_and_results_are_the_users(session):
    x = tf.placeholder(tf.float32, [None])
    fetch = tf.tpu.replicate(lambda x: x * 1.0, [[x], [x]])
    data = np.arange(5000, dtype=np.float32)
    first, second = (part for (part,) in session.run(fetch, {x: data}))
    first += 1.0
    assert (second == np.arange(5000)).all() and (data == second).all()
    (third,), _ = session.run(fetch, {x: data})
    third[:] = 0.0
    assert (first == data + 1.0).all() and (second == data).all()


def test_more_cores_than_there_is_memory_for(monkeypatch):
    """Refused before anything is taken: the system would kill some process."""
    monkeypatch.setattr(Arena, "create", lambda *_: pytest.fail("memory was taken"))
    with (
        tf.config.override(executor="pool", topology="1000x1000x2"),
        tf.Session() as session,
        pytest.raises(tf.errors.ResourceExhaustedError, match="2000000 cores need"),
    ):
        session.run(tf.tpu.initialize_system())


def test_the_first_page_names_files_that_exist() -> None:
    named = re.findall(r"``([a-z_/]+\.(?:py|h))``", pool_package.__doc__ or "")
    folders = [Path(package.__path__[0]) for package in (pool_package, kernels)]
    folders.append(folders[1] / "cython")
    missing = [n for n in named if not any((f / n).is_file() for f in folders)]
    assert len(named) > 20 and not missing
