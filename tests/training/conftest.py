"""Strategies of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tpuref as tf


@pytest.fixture
def strategy_of() -> Callable[[int], tf.contrib.distribute.TPUStrategy]:
    """A function that gives a strategy of so many towers."""

    def of(towers: int) -> tf.contrib.distribute.TPUStrategy:
        local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        return tf.contrib.distribute.TPUStrategy(local, 1, num_cores=towers)

    return of


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
