"""A core is killed: the caller learns of it at once, and nothing hangs or stays."""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import tpuref as tf
from tpuref.engine.runtime.pool.host.process import CoreProcess

from .computations import LARGE, calling, multiplying, replicate, summing, turning
from .processes import (
    PROMPTLY,
    RESTART,
    Later,
    cores_of,
    descriptors,
    eventually,
    named_files,
    open_files,
    within,
    works_again,
)

SIGNALS = [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM]


def lost(pool, fetch, seconds, number, core):
    """The message of a run in which a core is sent a signal after some seconds."""
    with Later(seconds, number, pool.pids[core]) as sent:
        with pytest.raises(tf.errors.AbortedError) as caught:
            pool.session.run(fetch)
        assert sent.elapsed < PROMPTLY
    message = str(caught.value)
    assert f"core {core} (replica {core}, logical core 0, process " in message
    assert f"was ended by {signal.Signals(number).name}" in message
    assert "initialize_system" in message
    assert ("the system may be out of memory" in message) is (number == signal.SIGKILL)
    if number == signal.SIGSEGV:
        assert "Segmentation fault" in str(caught.value.__cause__)
        assert 'prepared.py"' in str(caught.value.__cause__)
    return message


@pytest.mark.parametrize("number", SIGNALS, ids=lambda n: n.name)
@pytest.mark.parametrize("computation", [turning, multiplying])
def test_while_it_computes(pool, computation, number):
    message = lost(pool, replicate(computation, 3), 0.3, number, 1)
    assert re.search(r"in \w+ '\w+(/\w+)*', built at", message)
    assert "computations.py" in message
    assert "operation: " in message


def test_all_at_once(pool):
    with Later(0.2, signal.SIGKILL, *pool.pids) as sent:
        with pytest.raises(tf.errors.AbortedError, match="SIGKILL"):
            pool.session.run(replicate(summing(LARGE), 3))
        assert sent.elapsed < PROMPTLY
    assert works_again(pool)


@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
def test_while_it_is_idle(pool, known):
    fetch = tf.tpu.replicate(lambda x: x + 1.0, [[1.0]] * 3)
    if known:
        pool.session.run(fetch)
    victim = pool.pids[1]
    os.kill(victim, signal.SIGKILL)
    assert eventually(lambda: victim not in pool.pids, 1.0)
    lost_core = pytest.raises(tf.errors.AbortedError, match="core 1 .* in no operation")
    with within(PROMPTLY), lost_core:
        pool.session.run(fetch)
    with pytest.raises(tf.errors.FailedPreconditionError, match="lost core 1"):
        pool.session.run(fetch)
    assert works_again(pool)


def test_while_it_waits_for_the_infeed(pool):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[3]])
    fetch = tf.tpu.replicate(lambda fed: fed * 1.0, [[]] * 3, queue)
    lost(pool, fetch, 0.3, signal.SIGKILL, 1)


def test_while_the_host_waits_for_its_outfeed(pool):
    def computation():
        x = tf.contrib.tpu.infeed_dequeue(tf.float32, [3])
        return tf.contrib.tpu.outfeed_enqueue(x)

    fetch = tf.tpu.replicate(computation, [[]] * 3)
    taken = tf.contrib.tpu.outfeed_dequeue(tf.float32, [3], device_ordinal=2)
    with ThreadPoolExecutor(1) as threads:
        waiter = threads.submit(pool.session.run, taken)
        lost(pool, fetch, 0.3, signal.SIGKILL, 1)
        with pytest.raises(tf.errors.AbortedError) as caught:
            waiter.result(PROMPTLY)
    assert "outfeed of core 2" in str(caught.value) and "SIGKILL" in str(caught.value)


def test_while_another_is_in_a_host_call(pool):
    pids = pool.pids

    def end_a_core(value):
        time.sleep(0.2)  # all replicas get to their calls
        os.kill(pids[2], signal.SIGKILL)
        time.sleep(0.1)
        return value

    killed = pytest.raises(tf.errors.AbortedError, match="core 2 .*SIGKILL")
    with within(0.3 + PROMPTLY), killed as caught:
        pool.session.run(replicate(calling(end_a_core), 3))
    assert "PyFunc" in str(caught.value)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2])
def test_while_it_starts(make_pool, seconds):
    def kill_the_first():
        eventually(lambda: cores_of(os.getpid()), 2.0)
        time.sleep(seconds)
        for pid in cores_of(os.getpid())[:1]:
            os.kill(pid, signal.SIGKILL)

    def start_and_run():
        started = make_pool(2)
        killed.result()
        started.works  # noqa: B018

    with within(RESTART + PROMPTLY), ThreadPoolExecutor(1) as threads:
        killed = threads.submit(kill_the_first)
        faults = (tf.errors.UnavailableError, tf.errors.AbortedError)
        with pytest.raises(faults) as caught:
            start_and_run()
    assert "core 0 " in str(caught.value) and "SIGKILL" in str(caught.value)
    assert works_again(make_pool(2))


def test_no_file_has_a_name(pool):
    assert pool.works
    for pid in pool.pids:
        assert open_files(pid) and named_files(pid) == []


def test_several_times_in_a_row(pool):
    held = []
    for core in (0, 1, 2, 1):
        lost(pool, replicate(summing(1), 3), 0.05, signal.SIGKILL, core)
        assert works_again(pool)
        held.append(descriptors())
    assert len(set(held)) == 1


ENDS = {
    "os._exit": ("os._exit(7)", "its process ended with status 7"),
    "abort": ("os.abort()", "its process was ended by SIGABRT"),
    "no more answer": (
        "link.shutdown(2)",
        "it closed its socket, though its process still runs",
    ),
}
ONE_OF_ITS_OWN = """\
import gc, os, socket, threading
(link,) = [o for o in gc.get_objects() if isinstance(o, socket.socket)]
"""


@pytest.mark.parametrize("how", ENDS)
def test_while_it_computes_it_ends_itself(pool, how):
    code, message = ENDS[how]
    later = f"def end(): {code}\nthreading.Timer(0.2, end).start()\n"
    pool.plant(1, ONE_OF_ITS_OWN + later)
    with within(0.2 + PROMPTLY), pytest.raises(tf.errors.AbortedError) as caught:
        pool.session.run(replicate(summing(1), 3))
    assert f": {message}. The other cores" in str(caught.value)
    assert "lost core 1 (replica 1, " in str(caught.value)


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("import os; os._exit(7)", 7, None),
        ("import sys; sys.exit(3)", 3, None),
        ("raise RuntimeError('in between')", 1, "RuntimeError: in between"),
    ],
    ids=["os._exit", "sys.exit", "an exception"],
)
def test_between_runs_it_ends_itself(pool, code, status, text):
    pool.plant(2, code)
    with pytest.raises(tf.errors.AbortedError) as caught:
        pool.session.run(replicate(summing(1), 3))
    fates = f"its process ended with status {status}", "its process still runs"
    assert any(fate in str(caught.value) for fate in fates)  # some take their time
    assert "lost core 2 (replica 2, " in str(caught.value)
    assert text is None or text in str(caught.value.__cause__)


def test_the_last_core_dies_while_the_first_starts(make_pool, monkeypatch):
    """It is noticed at once, though the first has still a long way to go."""
    start = CoreProcess.__init__

    def start_and_hold(self, number, *arguments):
        start(self, number, *arguments)
        os.kill(self.pid, signal.SIGKILL if number else signal.SIGSTOP)

    monkeypatch.setattr(CoreProcess, "__init__", start_and_hold)
    with pytest.raises(tf.errors.UnavailableError, match="core 1 ended .* SIGKILL"):
        make_pool(2)
    monkeypatch.undo()
    assert works_again(make_pool(2))
