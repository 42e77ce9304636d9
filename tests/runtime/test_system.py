"""The TPU system of each job: started, grown, stopped."""

import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL, Cluster, System, connect

from .programs import instr

STEP = instr("op", [], 0, job=None)


@pytest.fixture
def system():
    made = System("worker")
    yield made
    made.close()


@pytest.fixture
def cluster():
    made = Cluster(["worker"])
    yield made
    made.reset()


def test_after_a_close_an_evaluation_starts_it_again(system):
    for start in (system.initialize, lambda: system.acquire(3, None)):
        with tf.config.override(cores=3):
            start()
            system.close()
            assert system.topology is None
            topology, _, fixed = system.acquire(2, None)
        assert topology.num_cores == 3 and fixed
        system.close()


def test_a_cluster_has_the_jobs_of_its_definition():
    assert connect(None) is LOCAL and list(LOCAL.jobs) == ["localhost"]
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1", "b:2"]})
    assert sorted(connect(spec.as_cluster_def()).jobs) == ["ps", "worker"]


def test_reset_forgets_everything(cluster):
    cluster.shutdown(STEP)
    cluster.reset()
    with tf.config.override(cores=1):
        cluster.initialize(STEP)
    cluster.reset()
    with tf.config.override(cores=2):  # which shutdown_system does not forbid any more
        cluster.initialize(STEP)
    assert len(cluster.devices()) == 1 + 2
