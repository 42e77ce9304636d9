"""A core is killed or stopped at each place of an all-reduce, as its flag shows."""

import contextlib
import os
import random
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import tpuref as tf

from .computations import LARGE, NAMES, exchanging_by_name, replicate, summing
from .processes import FULL, PATIENCE, PROMPTLY, eventually, state_of

CORES = 3
VICTIM = 1
HUGE = 1 << 22
"""Elements of a sum that takes a while to add up."""


def before_it_arrives(own, others):
    return own % 2 == 0 and max(others) == own + 1


def waiting_for_another(own, others):
    return own % 2 == 1 and min(others) < own


def adding_up(own, others):
    return own % 2 == 1 and min(others) >= own


def waiting_for_the_result(own, others):
    return own % 2 == 0 and min(others) == own - 1


def in_step(number):
    """Of a ring, whose flags count 2 N - 1 phases; the first is before it arrives."""

    def place(own, others):
        del others
        return own % (2 * CORES - 1) == number

    place.__name__ = f"step_{number}"
    return place


def hold(pool, core, there):
    """Stop a core where it is at a place: stop it, look, and try again."""
    pid, flags = pool.pids[core], pool.flags
    tries = random.Random(core)
    deadline = time.monotonic() + 10.0 * PATIENCE
    while time.monotonic() < deadline:
        os.kill(pid, signal.SIGSTOP)
        assert eventually(lambda: state_of(pid) == "T", 2.0)
        phases = [flags.position(c)[1] for c in range(CORES)]
        if there(phases.pop(core), phases):
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(tries.random() / 500)
    raise AssertionError(f"core {core} did not come to be {there.__name__}")


def held_at(pool, place):
    """Hold the victim at a place, and return its phase there."""
    helper = {waiting_for_another: before_it_arrives, waiting_for_the_result: adding_up}
    pid = pool.pids[0]
    time.sleep(0.1)
    if place in helper:
        hold(pool, 0, helper[place])
    hold(pool, VICTIM, place)
    if place in helper:
        os.kill(pid, signal.SIGCONT)
    phase: int = pool.flags.position(VICTIM)[1]
    return phase


STEPS = [in_step(number) for number in range(2 * CORES - 1)]
MOMENTS = [
    ("flat", 1, [before_it_arrives, waiting_for_another, adding_up]),
    ("direct", LARGE, [before_it_arrives, waiting_for_another, waiting_for_the_result]),
    ("direct", HUGE, [adding_up]),
    ("ring", LARGE, STEPS),
]
CASES = [
    pytest.param(algorithm, size, place, id=f"{algorithm}-{place.__name__}")
    for algorithm, size, places in MOMENTS
    for place in places
]


STOPPED = CASES if FULL else [CASES[2], CASES[5], CASES[9]]


@contextlib.contextmanager
def meanwhile(pool, action):
    """Do something in another thread; where that fails, end the cores."""

    def guarded():
        try:
            return action()
        except BaseException:
            for pid in pool.pids:  # or their run would go on for ever
                os.kill(pid, signal.SIGKILL)
            raise

    with ThreadPoolExecutor() as threads:
        future = threads.submit(guarded)
        try:
            yield future
        finally:
            future.result()


@pytest.mark.parametrize(("algorithm", "size", "place"), CASES)
def test_a_core_is_killed(pool, algorithm, size, place):
    flags, pid = pool.flags, pool.pids[VICTIM]

    def kill():
        phase = held_at(pool, place)
        os.kill(pid, signal.SIGKILL)
        return phase, time.monotonic()

    with tf.config.override(all_reduce=algorithm), meanwhile(pool, kill) as killed:
        with pytest.raises(tf.errors.AbortedError) as caught:
            pool.session.run(replicate(summing(size), CORES))
        now = time.monotonic()
    phase, then = killed.result()
    assert now - then < PROMPTLY
    assert f"core {VICTIM} (replica {VICTIM}, " in str(caught.value)
    assert "SIGKILL" in str(caught.value) and "computations.py" in str(caught.value)
    if place not in (before_it_arrives, STEPS[0]):
        assert "CrossReplicaSum" in str(caught.value)
    assert flags.position(VICTIM)[1] == phase, "it died elsewhere"


def stopped(pool, computation, place, timeout=2.0, **settings):
    """The message of a run in which the victim is stopped at a place."""
    with (
        tf.config.override(timeout=timeout, **settings),
        meanwhile(pool, lambda: held_at(pool, place)),
        pytest.raises(tf.errors.DeadlineExceededError) as caught,
    ):
        pool.session.run(replicate(computation, CORES))
    return str(caught.value)


@pytest.mark.parametrize(("algorithm", "size", "place"), STOPPED)
def test_a_core_is_stopped(pool, algorithm, size, place):
    timeout = 5.0 if size == HUGE else 2.0
    message = stopped(pool, summing(size), place, timeout, all_reduce=algorithm)
    assert f"missing: core {VICTIM} (replica {VICTIM}, " in message
    assert "CrossReplicaSum" in message
    assert f"for replicas [{VICTIM}]" in message


@pytest.mark.parametrize(
    "place", [waiting_for_another, adding_up], ids=lambda place: place.__name__
)
def test_a_core_is_stopped_in_an_exchange(pool, place):
    message = stopped(pool, exchanging_by_name, place)
    (missing,) = re.findall(f"missing: core {VICTIM} .*", message)
    first = message.splitlines()[0]
    assert f"for replicas [{VICTIM}]" in first
    for line in (first, missing):
        assert "3 sums in one exchange" in line
        assert all(f"{name}'" in line for name in NAMES), line
    assert missing.count("computations.py") == 3


def test_a_core_is_killed_in_an_exchange(pool):
    def kill():
        held_at(pool, adding_up)
        os.kill(pool.pids[VICTIM], signal.SIGKILL)

    with meanwhile(pool, kill), pytest.raises(tf.errors.AbortedError) as caught:
        pool.session.run(replicate(exchanging_by_name, CORES))
    assert all(f"{name}'" in str(caught.value) for name in NAMES)


def test_a_sum_of_a_ring_is_taken_and_named_by_itself(pool):
    message = stopped(pool, exchanging_by_name, STEPS[1], all_reduce="ring")
    (missing,) = re.findall(f"missing: core {VICTIM} .*", message)
    assert sum(f"{name}'" in missing for name in NAMES) == 1
    assert "exchange" not in message
