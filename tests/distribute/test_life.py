"""Systems of a strategy: running, of two hosts, in eager mode."""

import pytest

import tpuref as tf

from .conftest import ClusterResolver, LocalResolver

TPUStrategy = tf.contrib.distribute.TPUStrategy
TOWERS = [4]


def tower_ids(strategy):
    return strategy.call_for_each_tower(
        lambda: tf.constant(tf.get_tower_context().tower_id)
    )


def test_007_towers_of_a_cluster_of_two_hosts():
    strategy = TPUStrategy(ClusterResolver(2, 4), 1)
    config = tf.ConfigProto()
    strategy.configure(config)
    with strategy.scope(), tf.Session(config=config) as sess:
        ids = tower_ids(strategy)
        second_host = strategy.get_host_cpu_device(1)
        total = strategy.reduce(tf.VariableAggregation.SUM, ids, second_host)
        sess.run(strategy.initialize())
        assert sess.run(strategy.unwrap(ids)) == list(range(8))
        assert sess.run(strategy.unwrap(total)) == [28]
        sess.run(strategy.finalize())


def test_011_a_running_system_counts(session):
    with tf.config.override(topology="2x1x2"):
        session.run(tf.tpu.initialize_system())
    assert TPUStrategy(LocalResolver(), 1).num_towers == 4


@pytest.mark.parametrize("name", ["num_towers", "worker_devices", "num_hosts"])
def test_properties_cannot_be_set(name, strategy_of):
    with pytest.raises(AttributeError):
        setattr(strategy_of(2), name, 3)


def test_per_device_values_are_not_fetched(strategy, session):
    with pytest.raises(TypeError, match=r"cannot fetch PerDevice"):
        session.run(tower_ids(strategy))
