"""A resolver for the system of this process, and strategies of several sizes."""

import numpy as np
import pytest

import tpuref as tf


class LocalResolver:
    """What a strategy asks of a resolver, for this process."""

    def master(self):
        return "local"

    def cluster_spec(self):
        return None


def summed_on_read(name, value):
    """Make a variable that each tower changes for itself; what is read is the sum."""
    return tf.get_variable(
        name,
        initializer=value,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )


def local(strategy, value):
    """Return the values of all replicas as lists and numbers."""
    return [np.asarray(v).tolist() for v in strategy.experimental_local_results(value)]


def numbered(strategy):
    """Return a value that is 1.0, 2.0, ... in the replicas."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group + 1.0)
    )


def numbers(strategy):
    """Return an iterator that gives the towers 1.0, 2.0, ..."""
    dataset = tf.data.Dataset.range(1, 1000).map(lambda x: tf.cast(x, tf.float32))
    return strategy.distribute_dataset(lambda: dataset).make_one_shot_iterator()


@pytest.fixture
def strategy_of():
    """A function that gives a strategy of so many towers."""

    def of(towers):
        with tf.config.override(cores=towers):
            return tf.contrib.distribute.TPUStrategy(LocalResolver(), steps_per_run=2)

    return of


def pytest_generate_tests(metafunc):
    """Let a module say in TOWERS how many towers its `strategy` has, one by one."""
    towers = getattr(metafunc.module, "TOWERS", None)
    if towers and "strategy" in metafunc.fixturenames:
        metafunc.parametrize("strategy", towers, indirect=True)


@pytest.fixture
def strategy(request, strategy_of):
    """A strategy in scope, of two towers if the module names no other number."""
    with strategy_of(getattr(request, "param", 2)).scope() as chosen:
        yield chosen


@pytest.fixture
def four(strategy_of):
    """Four towers, in scope."""
    with strategy_of(4).scope() as chosen:
        yield chosen


@pytest.fixture(params=["lockstep", "pool"], scope="module")
def both_executors(request):
    """All tests of a module on the one executor, then on the other."""
    with tf.config.override(executor=request.param):
        yield request.param
