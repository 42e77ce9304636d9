"""Processes that carry several cores: what is said of each when one ends or fails."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

import tpuref as tf

from .computations import LARGE, replicate, summing, turning
from .processes import PROMPTLY, Later, works_again


@pytest.fixture
def pool(make_pool: Any) -> Any:
    """Five cores on two processes: two and three."""
    return make_pool(5, 2)


@pytest.mark.parametrize(
    "computation", [turning, summing(1), summing(LARGE)], ids=["loop", "flat", "direct"]
)
def test_a_death_names_all_cores_that_the_process_carried(
    pool: Any, computation: Any
) -> None:
    assert len(pool.pids) == 2
    for process, cores in [(0, "0, 1"), (1, "2, 3, 4")]:
        victim = pool.pids[process]
        with Later(0.2, signal.SIGKILL, victim) as sent:
            with pytest.raises(tf.errors.AbortedError) as caught:
                pool.session.run(replicate(computation, 5))
            assert sent.elapsed < PROMPTLY
        about = f"lost cores {cores} (replicas {cores}, process {victim}) in "
        assert about in str(caught.value)
        assert works_again(pool)


@pytest.fixture
def light(make_pool: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Two processes, of which the first carries all cores of a light program."""
    monkeypatch.setattr("tpuref.engine.runtime.pool.split.processors", lambda: 2)
    return make_pool(5, None)


def test_the_first_process_carries_a_light_program(light: Any) -> None:
    """So it ends while the other one is stopped, which a sum does not."""
    half = replicate(lambda replica: tf.to_float(replica) + 0.5, 5)
    _, other = light.pids
    os.kill(other, signal.SIGSTOP)
    for _ in range(2):
        assert light.session.run(half) == [(0.5 + replica,) for replica in range(5)]
    os.kill(other, signal.SIGCONT)
    assert light.works
    assert light.session.run(half) == [(0.5 + replica,) for replica in range(5)]


def test_the_death_of_one_that_has_nothing_to_do_is_told(light: Any) -> None:
    half = replicate(lambda replica: tf.to_float(replica) + 0.5, 5)
    light.session.run(half)
    victim = light.pids[1]

    def until_told() -> None:
        deadline = time.monotonic() + PROMPTLY
        while time.monotonic() < deadline:
            light.session.run(half)

    os.kill(victim, signal.SIGKILL)
    with pytest.raises(tf.errors.AbortedError) as caught:
        until_told()
    about = f"lost cores 2-4 (process {victim}), which ran nothing: its process was "
    assert about + "ended by SIGKILL" in str(caught.value)
    assert works_again(light)
    assert light.session.run(half) == [(0.5 + replica,) for replica in range(5)]


def test_a_light_program_on_another_core_of_a_replica(light: Any) -> None:
    """Values go from core to core within the process."""

    def half(replica: Any) -> Any:
        with tf.device(tf.tpu.core(1)):
            moved = tf.to_float(replica) * 2.0
        with tf.device(tf.tpu.core(0)):
            return moved + 0.5

    tf.config.cores = 6
    topology = light.session.run(tf.tpu.initialize_system())
    assignment = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=3)
    outputs = tf.tpu.replicate(
        half, [[replica] for replica in range(3)], device_assignment=assignment
    )
    for _ in range(2):
        assert light.session.run(outputs) == [(0.5,), (2.5,), (4.5,)]


def test_an_error_names_its_core(pool: Any) -> None:
    def failing(replica: Any) -> Any:
        return tf.gather(tf.zeros([3]), replica)

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="on replica 3: "
    ) as caught:
        pool.session.run(replicate(failing, 5))
    assert "core 3, replica 3, process " in str(caught.value.__cause__)
    assert pool.works


def test_a_stall_names_the_cores(pool: Any, capfd: Any) -> None:
    """Process 1 is stopped, so its cores are missing and the others wait for them."""
    with (
        tf.config.override(timeout=2.0),
        Later(0.2, signal.SIGSTOP, pool.pids[1]),
        pytest.raises(tf.errors.DeadlineExceededError) as caught,
    ):
        pool.session.run(replicate(summing(1), 5))
    for core in range(5):
        mark = "missing" if core > 1 else "waits"
        assert (
            f"{mark}: core {core} (replica {core}, logical core 0"
            in (capfd_text := f"{caught.value}{capfd.readouterr().err}")
            or core < 2
        ), capfd_text
    assert works_again(pool)


def test_replicas_that_do_not_meet_are_named(pool: Any) -> None:
    def uneven(replica: Any) -> Any:
        summed = tf.tpu.cross_replica_sum
        return tf.cond(replica > 2, lambda: summed(replica), lambda: replica)

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        pool.session.run(replicate(uneven, 5))
    assert "replicas [3, 4] wait for [0, 1, 2]" in str(caught.value)
    assert pool.works
