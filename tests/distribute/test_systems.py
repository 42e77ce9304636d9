"""Checks of TPUStrategy: what tpuref learns about a TPU system, and says of it."""

import functools

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import hosts, reachable
from tpuref_conformance.suite.tpu_strategy_page import local_strategy, size

from ..messages import refused


class Resolver:
    """The methods of a resolver that a strategy needs: those that it is given."""

    def __init__(self, **answers):
        for name, answer in answers.items():
            setattr(self, name, lambda answer=answer: answer)


def cluster(tf, jobs, cores=4, towers=None, **answers):
    """Return a strategy over these jobs, each a list of addresses."""
    resolver = Resolver(
        master="grpc://10.0.0.1:8470",
        cluster_spec=tf.train.ClusterSpec(jobs),
        num_accelerators=cores,
        **answers,
    )
    return tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=towers)


def told(strategy):
    """Return what a strategy knows of its system, and the devices of its last tower."""
    return (
        strategy.num_hosts,
        strategy.num_towers,
        strategy.worker_devices[-1],
        strategy.get_host_cpu_device(strategy.num_hosts - 1),
    )


TWO = ["10.0.0.1:8470", "10.0.0.2:8470"]


def test_any_resolver(tf):
    named = "/job:worker/task:1/device:"
    same(
        told(cluster(tf, {"worker": TWO}, get_job_name="worker")),
        (2, 8, named + "TPU:3", named + "CPU:0"),
    )
    # Releases give the number by the type of the accelerator.
    same(told(cluster(tf, {"worker": TWO}, {"TPU": 8}))[:2], (2, 16))
    # Without a name it is the only job there is, called tpu_worker.
    unnamed = cluster(tf, {"other": TWO}, 1, get_job_name="")
    named = "/job:tpu_worker/task:1/device:"
    same(told(unnamed), (2, 2, named + "TPU:0", named + "CPU:0"))
    several = {"ps": TWO[:1], "tpus": TWO}
    same(told(cluster(tf, several, 1, get_job_name="tpus"))[:2], (2, 2))
    for master in ("", "local", b"local"):
        with size(tf, 2):
            here = tf.contrib.distribute.TPUStrategy(
                Resolver(master=master, cluster_spec=None), 1
            )
        named = "/replica:0/task:0/device:"
        same(told(here), (1, 2, named + "TPU:1", named + "CPU:0"))
        same(repr(here), "<TPUStrategy of 2 towers on 1 host(s)>")


def test_007_towers_of_a_cluster_of_two_hosts(tf):
    strategy = cluster(tf, {"worker": TWO}, get_job_name="worker")
    config = tf.ConfigProto()
    strategy.configure(config)
    with strategy.scope(), tf.Session(config=config) as session:
        ids = strategy.call_for_each_tower(
            lambda: tf.constant(tf.get_tower_context().tower_id)
        )
        second_host = strategy.get_host_cpu_device(1)
        total = strategy.reduce(tf.VariableAggregation.SUM, ids, second_host)
        session.run(strategy.initialize())
        same(session.run(strategy.unwrap(ids)), list(range(8)))
        same(session.run(strategy.unwrap(total)), [28])
        session.run(strategy.finalize())


def test_asked_of_master(tf):
    def strategy(*counts, cluster_spec=None, **answers):
        master = "grpc://10.0.0.1:8470"
        resolver = Resolver(master=master, cluster_spec=cluster_spec, **answers)
        with reachable(tf, hosts(*counts, job="found")):
            return tf.contrib.distribute.TPUStrategy(resolver, 1)

    named = "/job:found/task:2/device:"
    same(told(strategy(2, 2, 2)), (3, 6, named + "TPU:1", named + "CPU:0"))
    spec = tf.train.ClusterSpec({"found": TWO})
    same(told(strategy(4, 4, cluster_spec=spec))[:2], (2, 8))
    same(told(strategy(1, get_job_name="asked", num_accelerators=8))[:2], (1, 1))
    words = ["the hosts of 'grpc://10.0.0.1:8470' have different numbers of TPU cores"]
    refused(ValueError, words, strategy, 2, 1)
    for counts in ((), (0,), (0, 0)):
        refused(ValueError, ["has no TPU cores"], strategy, *counts)


def test_no_such_system(tf):
    kind = tf.contrib.distribute.TPUStrategy
    for unfit, method in (
        (None, "master"),
        ("grpc://10.0.0.1:8470", "master"),
        (Resolver(cluster_spec=None), "master"),
        (Resolver(master="local"), "cluster_spec"),
    ):
        words = ["tpu_cluster_resolver must be", f"(with {method}())"]
        words.append("got " + type(unfit).__name__)
        refused(TypeError, words, kind, unfit, 1)
    for cores in (0, -1, {"TPU": 0}, {"GPU": 8}):
        words = ["the master 'grpc://10.0.0.1:8470' has no TPU cores"]
        refused(ValueError, words, cluster, tf, {"worker": TWO}, cores)


def test_uneven_towers(tf):
    def strategy(towers):
        return cluster(tf, {"worker": TWO}, towers=towers)

    for towers, each in ((8, 4), (4, 4), (3, 3), (1, 1)):
        same(strategy(towers).num_towers_per_host, each)
    for towers in (5, 7):
        uneven = functools.partial(getattr, strategy(towers), "num_towers_per_host")
        refused(ValueError, [f"the {towers} towers are spread unevenly"], uneven)


def test_nested_scopes(tf):
    with size(tf, 2):
        strategy, other = local_strategy(tf), local_strategy(tf, num_cores=1)
    with strategy.scope() as entered:
        assert entered is strategy
        with strategy.scope() as again:
            assert again is strategy
        words = ["<TPUStrategy of 1 towers", "within the scope of <TPUStrategy of 2"]
        refused(RuntimeError, words, lambda: other.scope().__enter__())
        words = ["TPUStrategy.broadcast must be used inside of"]
        refused(RuntimeError, words, other.broadcast, tf.constant(1.0))
    for method, arguments in (
        ("broadcast", (1.0,)),
        ("reduce", (None, 1.0, "/device:CPU:0")),
        ("batch_reduce", (None, [])),
        ("update", (None, None)),
        ("update_non_slot", ([], None)),
        ("map", ([], None)),
        ("colocate_vars_with", (None,)),
    ):
        words = ["TPUStrategy." + method + " must be used inside of"]
        refused(RuntimeError, words, getattr(strategy, method), *arguments)
    words = ["TPUStrategy.worker_device_index must be used inside of"]
    refused(RuntimeError, words, lambda: strategy.worker_device_index)
    with strategy.scope():
        same(strategy.unwrap(strategy.worker_device_index), [0, 1])
        for unfit in (None, 5, []):
            expect_raises(ValueError, strategy.colocate_vars_with, unfit)
