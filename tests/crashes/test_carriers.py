"""Processes that carry several cores: what is said of each when one ends or fails."""

import os
import re
import signal
import time

import pytest

import tpuref as tf

from .computations import LARGE, replicate, summing, turning
from .processes import PROMPTLY, Later, works_again


@pytest.fixture
def pool(make_pool):
    """Five cores on two processes: two and three."""
    return make_pool(5, 2)


@pytest.mark.parametrize(
    "computation", [turning, summing(1), summing(LARGE)], ids=["loop", "flat", "direct"]
)
def test_a_death_names_all_cores_that_the_process_carried(pool, computation):
    assert len(pool.pids) == 2
    for process, cores in [(0, "0, 1"), (1, "2, 3, 4")]:
        victim = pool.pids[process]
        about = f"lost cores {cores} (replicas {cores}, process {victim}) in "
        with Later(0.2, signal.SIGKILL, victim) as sent:
            with pytest.raises(tf.errors.AbortedError, match=re.escape(about)):
                pool.session.run(replicate(computation, 5))
            assert sent.elapsed < PROMPTLY
        assert works_again(pool)


@pytest.fixture
def light(make_pool, monkeypatch):
    """Two processes, of which the first carries all cores of a light program."""
    monkeypatch.setattr("tpuref.engine.runtime.pool.split.processors", lambda: 2)
    return make_pool(5, None)


def half(replica):
    return tf.to_float(replica) + 0.5


HALVES = [(0.5 + replica,) for replica in range(5)]


def test_the_first_process_carries_a_light_program(light):
    """So it ends while the other one is stopped, which a sum does not."""
    fetch = replicate(half, 5)
    _, other = light.pids
    os.kill(other, signal.SIGSTOP)
    for _ in range(2):
        assert light.session.run(fetch) == HALVES
    os.kill(other, signal.SIGCONT)
    assert light.works
    assert light.session.run(fetch) == HALVES


def test_the_death_of_one_that_has_nothing_to_do_is_told(light):
    fetch = replicate(half, 5)
    light.session.run(fetch)
    victim = light.pids[1]

    def until_told():
        deadline = time.monotonic() + PROMPTLY
        while time.monotonic() < deadline:
            light.session.run(fetch)

    os.kill(victim, signal.SIGKILL)
    about = rf"lost cores 2-4 \(process {victim}\), which ran nothing: its process was "
    with pytest.raises(tf.errors.AbortedError, match=about + "ended by SIGKILL"):
        until_told()
    assert works_again(light)
    assert light.session.run(fetch) == HALVES


def test_a_light_program_on_another_core_of_a_replica(light):
    """Values go from core to core within the process."""

    def moving(replica):
        with tf.device(tf.tpu.core(1)):
            moved = tf.to_float(replica) * 2.0
        with tf.device(tf.tpu.core(0)):
            return moved + 0.5

    tf.config.cores = 6
    topology = light.session.run(tf.tpu.initialize_system())
    assignment = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=3)
    inputs = [[replica] for replica in range(3)]
    outputs = tf.tpu.replicate(moving, inputs, device_assignment=assignment)
    for _ in range(2):
        assert light.session.run(outputs) == [(0.5,), (2.5,), (4.5,)]


def test_an_error_names_its_core(pool):
    def failing(replica):
        return tf.gather(tf.zeros([3]), replica)

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="on replica 3: "
    ) as caught:
        pool.session.run(replicate(failing, 5))
    assert "core 3, replica 3, process " in str(caught.value.__cause__)
    assert pool.works


def test_a_stall_names_the_cores(pool, capfd):
    """Process 1 is stopped, so its cores are missing and the others wait for them."""
    stop = Later(0.2, signal.SIGSTOP, pool.pids[1])
    stalled = pytest.raises(tf.errors.DeadlineExceededError)
    with tf.config.override(timeout=2.0), stop, stalled as caught:
        pool.session.run(replicate(summing(1), 5))
    capfd.readouterr()
    for core in (2, 3, 4):
        missing = f"missing: core {core} (replica {core}, logical core 0"
        assert missing in str(caught.value)
    assert works_again(pool)
