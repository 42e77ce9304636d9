"""Processes that carry several cores: what is said of each when one ends or fails."""

from __future__ import annotations

import signal
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
