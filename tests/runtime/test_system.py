"""The TPU system of each job: started, grown, stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.program import Instr
from tpuref.engine.runtime.system import (
    LOCAL,
    Cluster,
    System,
    configured_topology,
    connect,
)
from tpuref.engine.runtime.topology.topology import Topology

SITE = CallSite("program.py", 12, "stop")


def instr(op: str, job: str | None = None, **attrs: Any) -> Instr:
    return Instr(op, op, (), (), {"job": job, **attrs}, (), 0, SITE)


@pytest.fixture
def system() -> Iterator[System]:
    made = System("worker")
    yield made
    made.close()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster(["worker"])
    yield made
    made.reset()


def acquired(
    system: System, cores: int, assigned: Topology | None
) -> tuple[Topology, bool]:
    """What a computation gets to run on, and whether its size is fixed."""
    topology, _, fixed = system.acquire(cores, assigned)
    return topology, fixed


# -- settings ------------------------------------------------------------------


def test_nothing_is_configured_by_default() -> None:
    with tf.config.override(topology=None, cores=None):
        assert configured_topology() is None


def test_settings_give_a_topology() -> None:
    with tf.config.override(topology="3x2x1"):
        topology = configured_topology()
        assert topology is not None and topology.mesh_shape.tolist() == [3, 2, 1]
    with tf.config.override(cores=6):
        topology = configured_topology()
        assert topology is not None and topology.num_cores == 6


# -- one system ----------------------------------------------------------------


def test_a_system_starts_with_what_is_asked_for(system: System) -> None:
    assert system.topology is None
    topology, fixed = acquired(system, 3, None)
    assert topology.num_cores >= 3 and not fixed and system.topology is topology


def test_it_grows_and_never_shrinks(system: System) -> None:
    small, _ = acquired(system, 2, None)
    again, _ = acquired(system, 1, None)
    assert again is small
    large, _ = acquired(system, 6, None)
    assert large.num_cores >= 6
    assert acquired(system, 2, None)[0] is large


def test_an_assignment_brings_its_topology(system: System) -> None:
    assigned = Topology.for_mesh(2, 2, 1)
    assert acquired(system, 1, assigned) == (assigned, True)


def test_an_explicit_start_fixes_the_size(system: System) -> None:
    with tf.config.override(cores=4):
        topology = system.initialize()
    assert topology.num_cores == 4
    assert acquired(system, 8, None) == (topology, True)
    assert acquired(system, 8, Topology.for_mesh(2, 2, 2)) == (topology, True)
    with tf.config.override(cores=2):
        assert acquired(system, 2, None) == (topology, True)


def test_without_settings_the_explicit_start_takes_the_default(
    system: System,
) -> None:
    with tf.config.override(topology=None, cores=None):
        assert system.initialize().mesh_shape.tolist() == [2, 2, 2]


def test_settings_fix_the_size(system: System) -> None:
    with tf.config.override(cores=4):
        topology, fixed = acquired(system, 8, None)
        assert topology.num_cores == 4 and fixed


def test_after_a_shutdown_only_an_explicit_start_helps(system: System) -> None:
    system.initialize()
    system.shutdown(SITE)
    assert system.topology is None
    with (
        tf.config.override(cores=4),
        pytest.raises(tf.errors.FailedPreconditionError, match="program.py:12 in stop"),
    ):
        acquired(system, 4, None)
    system.initialize()
    assert acquired(system, 1, None)[1]


def test_after_a_close_an_evaluation_starts_it_again(system: System) -> None:
    for start in (system.initialize, lambda: system.acquire(3, None)):
        with tf.config.override(cores=3):
            start()
            system.close()
            assert system.topology is None
            topology, fixed = acquired(system, 2, None)
        assert topology.num_cores == 3 and fixed
        system.close()


# -- clusters ------------------------------------------------------------------


def test_the_local_cluster_has_one_job() -> None:
    assert connect(None) is LOCAL
    assert list(LOCAL.jobs) == ["localhost"]


def test_a_cluster_has_the_jobs_of_its_definition() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1", "b:2"]})
    cluster = connect(spec.as_cluster_def())
    assert cluster is not LOCAL
    assert sorted(cluster.jobs) == ["ps", "worker"]


def test_devices_are_those_of_the_running_system(cluster: Cluster) -> None:
    with tf.config.override(cores=2):
        cluster.initialize(instr("ConfigureDistributedTPU"))
    prefix = "/job:worker/replica:0/task:0/device:"
    assert [device.name for device in cluster.devices()] == [
        prefix + "CPU:0",
        prefix + "TPU:0",
        prefix + "TPU:1",
    ]
    cluster.shutdown(instr("ShutdownDistributedTPU"))
    assert len(cluster.devices()) == 1 + 8  # those it would be started with


def test_initialising_gives_the_serialized_topology(cluster: Cluster) -> None:
    with tf.config.override(topology="2x1x2"):
        serialized = cluster.initialize(instr("ConfigureDistributedTPU"))
    assert Topology(serialized=serialized).mesh_shape.tolist() == [2, 1, 2]


@pytest.mark.parametrize("method", ["initialize", "shutdown"])
def test_which_job_is_meant(method: str, cluster: Cluster) -> None:
    two = Cluster(["worker", "ps"])
    getattr(cluster, method)(instr("op"))
    getattr(two, method)(instr("op", "ps"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="job is None.*'ps'"):
        getattr(two, method)(instr("op"))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="no job 'other'.*'worker'"
    ):
        getattr(cluster, method)(instr("op", "other"))
    two.reset()


def test_reset_forgets_everything(cluster: Cluster) -> None:
    cluster.shutdown(instr("op"))
    cluster.reset()
    with tf.config.override(cores=1):
        cluster.initialize(instr("op"))
    cluster.reset()
    with tf.config.override(cores=2):  # which shutdown_system does not forbid any more
        cluster.initialize(instr("op"))
    assert len(cluster.devices()) == 1 + 2
