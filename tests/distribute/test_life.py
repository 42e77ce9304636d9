"""initialize, finalize, configure and get_host_cpu_device."""

from __future__ import annotations

import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL


def cores_running():
    topology = LOCAL._systems["localhost"].topology
    return 0 if topology is None else topology.num_cores


def test_081_082_initialize_in_graph_mode(strategy_of):
    strategy = strategy_of(2)
    operations = strategy.initialize()
    assert type(operations) is list
    assert len(operations) == 1
    assert operations[0].op.type == "ConfigureDistributedTPU"
    assert cores_running() == 0
    with tf.config.override(cores=2), strategy.scope(), tf.Session() as sess:
        sess.run(operations)
        assert cores_running() == 2
        value = strategy.call_for_each_tower(lambda: tf.constant(1))
        assert sess.run(strategy.unwrap(value)) == [1, 1]


def test_077_078_finalize_in_graph_mode(strategy_of, session):
    strategy = strategy_of(2)
    with tf.config.override(cores=2), strategy.scope():
        session.run(strategy.initialize())
        operations = strategy.finalize()
        assert [operation.type for operation in operations] == [
            "ShutdownDistributedTPU"
        ]
        assert cores_running() == 2
        session.run(operations)
        assert cores_running() == 0
        value = strategy.call_for_each_tower(lambda: tf.constant(1))
        with pytest.raises(tf.errors.FailedPreconditionError, match="shut down"):
            session.run(strategy.unwrap(value))


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_076_080_eager_mode(executor, strategy_of):
    strategy = strategy_of(2)
    with tf.config.override(cores=2, executor=executor), tf.eager_execution():
        assert strategy.initialize() is None
        assert cores_running() == 2
        assert strategy.finalize() is None
        assert cores_running() == 0


def test_068_configure_changes_nothing_by_itself(strategy_of):
    strategy = strategy_of(2)
    assert strategy.configure() is None
    assert strategy.configure(None, None, "worker", 0) is None
    assert strategy.num_towers == 2


def test_068_configure_writes_the_cluster(cluster):
    resolver = cluster(hosts=2, cores_per_host=4)
    strategy = tf.contrib.distribute.TPUStrategy(resolver, 1)
    config = tf.ConfigProto()
    assert strategy.configure(session_config=config) is None
    assert config.isolate_session_state is True
    assert [job.name for job in config.cluster_def.job] == ["worker"]
    written = tf.train.ClusterSpec(config.cluster_def)
    assert written.as_dict() == resolver.cluster_spec().as_dict()


def test_007_towers_of_a_cluster_of_two_hosts(cluster):
    strategy = tf.contrib.distribute.TPUStrategy(cluster(2, 4), 1)
    config = tf.ConfigProto()
    strategy.configure(config)
    with strategy.scope(), tf.Session(config=config) as sess:
        ids = strategy.call_for_each_tower(
            lambda: tf.constant(tf.get_tower_context().tower_id)
        )
        total = strategy.reduce(
            tf.VariableAggregation.SUM, ids, strategy.get_host_cpu_device(1)
        )
        sess.run(strategy.initialize())
        assert sess.run(strategy.unwrap(ids)) == list(range(8))
        assert sess.run(strategy.unwrap(total)) == [28]
        sess.run(strategy.finalize())


def test_084_host_of_this_process(strategy_of):
    strategy = strategy_of(4)
    device = strategy.get_host_cpu_device(0)
    assert device == "/replica:0/task:0/device:CPU:0"
    with tf.device(device):
        assert tf.constant(1).device == device


def test_084_hosts_of_a_cluster(cluster):
    strategy = tf.contrib.distribute.TPUStrategy(cluster(2, 4), 1)
    assert strategy.get_host_cpu_device(1) == "/job:worker/task:1/device:CPU:0"
    unnamed = tf.contrib.distribute.TPUStrategy(cluster(2, 4, job=""), 1)
    assert unnamed.get_host_cpu_device(0) == "/job:tpu_worker/task:0/device:CPU:0"


@pytest.mark.parametrize("host", [2, -1])
def test_084_hosts_that_do_not_exist(host, cluster):
    strategy = tf.contrib.distribute.TPUStrategy(cluster(2, 4), 1)
    with pytest.raises(ValueError, match=f"there is no host {host}; the system has 2"):
        strategy.get_host_cpu_device(host)


@pytest.mark.parametrize("host", ["x", None, 0.0, True])
def test_084_hosts_are_counted(host, strategy_of):
    with pytest.raises(TypeError, match="whole number"):
        strategy_of(2).get_host_cpu_device(host)
