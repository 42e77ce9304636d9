"""A strategy of a running system, and what of a strategy is neither set nor fetched."""

import pytest

import tpuref as tf

from .conftest import LocalResolver

TOWERS = [4]


def test_011_a_running_system_counts(session):
    with tf.config.override(topology="2x1x2"):
        session.run(tf.tpu.initialize_system())
    assert tf.contrib.distribute.TPUStrategy(LocalResolver(), 1).num_towers == 4


@pytest.mark.parametrize("name", ["num_towers", "worker_devices", "num_hosts"])
def test_properties_cannot_be_set(name, strategy_of):
    with pytest.raises(AttributeError):
        setattr(strategy_of(2), name, 3)


def test_per_device_values_are_not_fetched(strategy, session):
    ids = strategy.call_for_each_tower(
        lambda: tf.constant(tf.get_tower_context().tower_id)
    )
    with pytest.raises(TypeError, match=r"cannot fetch PerDevice"):
        session.run(ids)
