"""Checks of TPUStrategy: its hosts, its life cycle and distributed datasets."""

import numpy as np

from ..clause import expect_raises, same
from ..probes import eager_mode
from .contrib_distribute_tpu_strategy import cluster_strategy, has_hosts
from .tpu_strategy_page import (
    eager_strategy,
    error_type,
    evaluated,
    has_eager_mode,
    local_strategy,
    numbers,
    page,
    per_tower,
    running_strategy,
    size,
    strategy_in_scope,
)


@page.clause(".configure/behaviour/configures-strategy")
def configure(tf):
    config = tf.ConfigProto()
    with strategy_in_scope(tf, cores=2) as strategy:
        before = (strategy.num_towers, list(strategy.worker_devices))
        same(strategy.configure(), None)
        same(strategy.configure(session_config=config), None)
        same(strategy.configure(None, None, "worker", 0), None)
        same((strategy.num_towers, list(strategy.worker_devices)), before)
    cluster_strategy(tf, [2, 2]).configure(config)
    jobs = list(config.cluster_def.job)
    same([job.name for job in jobs], ["worker"])
    same(dict(jobs[0].tasks), {0: "10.1.2.3:8470", 1: "10.1.2.4:8470"})


@page.clause(".get_host_cpu_device/returns/host-cpu-device-name")
def get_host_cpu_device(tf):
    with size(tf, 4):
        local = local_strategy(tf)
    cluster = cluster_strategy(tf, [4, 4])
    names = [local.get_host_cpu_device(0)]
    names += [cluster.get_host_cpu_device(host) for host in (0, 1)]
    names.append(cluster_strategy(tf, [2], job="tpus").get_host_cpu_device(0))
    names.append(cluster_strategy(tf, [1] * 11).get_host_cpu_device(10))
    same(
        names,
        [
            "/replica:0/task:0/device:CPU:0",
            "/job:worker/task:0/device:CPU:0",
            "/job:worker/task:1/device:CPU:0",
            "/job:tpus/task:0/device:CPU:0",
            "/job:worker/task:10/device:CPU:0",
        ],
    )
    for name in names:
        with tf.device(name):
            assert "CPU:0" in tf.constant(1).device
    for strategy, host in ((local, 1), (cluster, 2), (local, -1)):
        expect_raises(ValueError, strategy.get_host_cpu_device, host)


def worked(tf, strategy):
    """Return a value that cores must compute: 2 and 4."""
    values = per_tower(tf, strategy, [1.0, 2.0])
    return strategy.call_for_each_tower(lambda x: x * 2.0, values)


@page.clause(".initialize/behaviour/graph-returns-operations")
def initialize_returns_operations(tf):
    returns_operations(tf, "initialize")


def returns_operations(tf, method):
    """Require the method to return a list of what it added to the graph."""
    with strategy_in_scope(tf, cores=2) as strategy:
        operations = getattr(strategy, method)()
        assert isinstance(operations, list), repr(operations)
        again = getattr(strategy, method)()
        same(len(again), len(operations), call="operations of a second call")
        operations += again
        if hasattr(tf, "get_default_graph"):
            added = tf.get_default_graph().get_operations()
            for one in operations:
                assert getattr(one, "op", one) in added, repr(one)


@page.clause(".initialize/behaviour/initialize-system-operation")
def initialize_starts_system(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        operations = strategy.initialize()
        same(len(operations), 1)
        value = worked(tf, strategy)
        session.run(strategy.finalize())
        expect_raises(error_type(tf, "OpError"), evaluated, session, strategy, value)
        (topology,) = session.run(operations)
        assert isinstance(topology, bytes) and topology, repr(topology)
        same(evaluated(session, strategy, value), [2.0, 4.0])
    require_job(tf, "initialize")


def require_job(tf, method):
    """Require that the method is about the job that has the cores."""
    if not has_hosts(tf):
        return
    strategy = cluster_strategy(tf, [2, 2], job="tpus", coordinator="coordinator")
    with strategy.scope():
        (made,) = getattr(strategy, method)()
    assert "/job:tpus" in made.device, made.device


@page.clause(".initialize/behaviour/eager-executes")
def initialize_eagerly(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        session.run(strategy.finalize())
        with eager_mode(tf):
            same(strategy.initialize(), None)
        same(evaluated(session, strategy, worked(tf, strategy)), [2.0, 4.0])


@page.clause(".finalize/behaviour/graph-returns-operations")
def finalize_returns_operations(tf):
    returns_operations(tf, "finalize")


@page.clause(".finalize/behaviour/shutdown-system-operation")
def finalize_stops_system(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        operations = strategy.finalize()
        same(len(operations), 1)
        value = worked(tf, strategy)
        same(evaluated(session, strategy, value), [2.0, 4.0])
        session.run(operations)
        expect_raises(error_type(tf, "OpError"), evaluated, session, strategy, value)
        session.run(strategy.initialize())
    require_job(tf, "finalize")


@page.clause(".finalize/behaviour/eager-executes")
def finalize_eagerly(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        value = worked(tf, strategy)
        same(evaluated(session, strategy, value), [2.0, 4.0])
        with eager_mode(tf):
            same(strategy.finalize(), None)
            expect_raises(error_type(tf, "OpError"), worked, tf, strategy)
        expect_raises(error_type(tf, "OpError"), evaluated, session, strategy, value)
        session.run(strategy.initialize())


def counting(tf, count):
    """Return a function that gives a dataset of 0.0, 1.0, ... below ``count``."""
    values = np.arange(count, dtype=np.float32)
    return lambda: tf.data.Dataset.from_tensor_slices(values)


@page.clause(".distribute_dataset/behaviour/split-across-towers")
def distribute_dataset_split(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        dataset = strategy.distribute_dataset(counting(tf, 10))
        element = dataset.make_one_shot_iterator().get_next()
        same(evaluated(session, strategy, element), [0.0, 1.0, 2.0, 3.0])
        same(evaluated(session, strategy, element), [4.0, 5.0, 6.0, 7.0])
        ended = error_type(tf, "OutOfRangeError")
        expect_raises(ended, evaluated, session, strategy, element)
    if has_eager_mode(tf):
        with eager_strategy(tf, cores=3) as strategy:
            dataset = strategy.distribute_dataset(counting(tf, 6))
            rows = [numbers(strategy, element) for element in dataset]
        same(rows, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        with eager_strategy(tf, cores=16) as strategy:  # more than a host has
            dataset = strategy.distribute_dataset(counting(tf, 40))
            rows = [numbers(strategy, element) for element in dataset]
        same(rows, [[float(n) for n in range(k, k + 16)] for k in (0, 16)])


@page.clause(".distribute_dataset/behaviour/iterator-feeds-towers")
def distribute_dataset_feeds(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        dataset = strategy.distribute_dataset(counting(tf, 8))
        results = strategy.call_for_each_tower(
            lambda x: x * 10.0, dataset.make_one_shot_iterator().get_next()
        )
        same(evaluated(session, strategy, results), [0.0, 10.0, 20.0, 30.0])
        same(evaluated(session, strategy, results), [40.0, 50.0, 60.0, 70.0])
        nest = {"a": np.arange(4, dtype=np.int32), "b": np.ones([4, 2], np.float32)}
        dataset = strategy.distribute_dataset(
            lambda: tf.data.Dataset.from_tensor_slices((nest, nest["a"]))
        )
        whole, rows = strategy.call_for_each_tower(
            lambda x, y: (x["a"] + y, x["b"] + x["b"]),
            *dataset.make_one_shot_iterator().get_next(),
        )
        values = session.run([strategy.unwrap(whole), strategy.unwrap(rows)])
        same(values, [[0, 2, 4, 6], [[2.0, 2.0]] * 4], call="elements that are nests")


@page.clause(".distribute_dataset/args:dataset_fn/function-returning-dataset")
def distribute_dataset_function(tf):
    calls = []

    def dataset_fn(*arguments):
        calls.append(arguments)
        return tf.data.Dataset.from_tensors([[1.0]])

    with strategy_in_scope(tf, cores=2) as strategy:
        strategy.distribute_dataset(dataset_fn)
        same(calls, [()])
        for unfit in (dataset_fn(), 5, None):
            expect_raises(TypeError, strategy.distribute_dataset, unfit)
        for unfit in (5, None, [1.0]):
            expect_raises(
                ValueError, strategy.distribute_dataset, lambda unfit=unfit: unfit
            )


@page.clause(".distribute_dataset/returns/per-device-dataset")
def distribute_dataset_returns(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        dataset = strategy.distribute_dataset(counting(tf, 4))
        assert callable(dataset.make_one_shot_iterator)
        same(type(dataset).__name__, "PerDeviceDataset")


@page.clause(".distribute_dataset/example/one-shot-iterator")
def distribute_dataset_example(tf):
    def tower_fn(x):
        return x * 2.0

    with running_strategy(tf, cores=4) as (session, distribution_strategy):

        def dataset_fn():
            return tf.data.Dataset.from_tensors([[1.0]]).repeat()

        distributed_dataset = distribution_strategy.distribute_dataset(dataset_fn)
        iterator = distributed_dataset.make_one_shot_iterator()
        tower_results = distribution_strategy.call_for_each_tower(
            tower_fn, iterator.get_next()
        )
        for _ in range(3):
            values = evaluated(session, distribution_strategy, tower_results)
            same(values, [[[2.0]]] * 4)
