"""A resolver for the system of this process, and strategies of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tpuref as tf


class LocalResolver:
    """What a strategy asks of a resolver, for this process."""

    def master(self) -> str:
        return "local"

    def cluster_spec(self) -> None:
        return None


class ClusterResolver:
    """What a strategy asks of a resolver, for a cluster of several hosts."""

    def __init__(self, hosts: int, cores_per_host: int, job: str = "worker") -> None:
        self._hosts, self._cores, self._job = hosts, cores_per_host, job

    def master(self) -> str:
        return "grpc://10.0.0.1:8470"

    def get_job_name(self) -> str:
        return self._job

    def num_accelerators(self) -> int:
        return self._cores

    def cluster_spec(self) -> tf.train.ClusterSpec:
        tasks = [f"10.0.0.{k}:8470" for k in range(1, self._hosts + 1)]
        return tf.train.ClusterSpec({self._job: tasks})


@pytest.fixture
def resolver() -> LocalResolver:
    return LocalResolver()


@pytest.fixture
def cluster() -> type[ClusterResolver]:
    return ClusterResolver


@pytest.fixture
def strategy_of() -> Callable[[int], tf.contrib.distribute.TPUStrategy]:
    """A function that gives a strategy of so many towers."""

    def of(towers: int) -> tf.contrib.distribute.TPUStrategy:
        with tf.config.override(cores=towers):
            return tf.contrib.distribute.TPUStrategy(LocalResolver(), steps_per_run=2)

    return of


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
