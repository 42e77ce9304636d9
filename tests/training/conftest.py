"""Strategies of several sizes."""

import pytest

import tpuref as tf


@pytest.fixture
def strategy_of():
    """A function that gives a strategy of so many towers."""

    def of(towers):
        local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        return tf.contrib.distribute.TPUStrategy(local, 1, num_cores=towers)

    return of
