"""Checks of tf.contrib.distribute.TPUStrategy: constructor, properties, companions."""

import inspect
import re

from ..clause import clause, expect_raises, same
from ..probes import eager_mode, fixed_system, initialise_variables
from ..subject import fresh_graph
from .cloud_stand_ins import CloudTPU, hosts, node, reachable, surroundings
from .page import about
from .tpu_strategy_page import (
    has_eager_mode,
    local_strategy,
    page,
    parameters,
    per_tower,
    running_strategy,
    size,
    strategy_in_scope,
    variable,
)


def cluster_strategy(tf, cores_of_hosts, job="worker", coordinator=None, **arguments):
    """Return a strategy over a Cloud TPU with that many cores on each host.

    Its master lists the cores; the resolver finds it through the Cloud TPU API, and
    adds the job ``coordinator``.
    """
    addresses = [f"10.1.2.{3 + host}:8470" for host in range(len(cores_of_hosts))]
    service = CloudTPU({"node-1": node(*addresses)})
    with surroundings(), reachable(tf, hosts(*cores_of_hosts, job=job)):
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver(
            "node-1",
            project="p",
            zone="z",
            job_name=job,
            coordinator_name=coordinator,
            coordinator_address=coordinator and "10.1.2.99:8470",
            service=service,
        )
        return tf.contrib.distribute.TPUStrategy(resolver, 2, **arguments)


def many_towers(tf, cores_of_hosts=(2, 2, 2)):
    """Return a strategy over hosts with that many cores, for what it builds.

    A subject file gives as many cores, wherever they are.
    """
    if has_hosts(tf):
        return cluster_strategy(tf, cores_of_hosts)
    with size(tf, sum(cores_of_hosts)):
        return local_strategy(tf)


def has_hosts(tf):
    """Return whether sessions can be made to see several hosts."""
    return isinstance(tf.Session, type)


@page.clause("/name/class")
def name_class(tf):
    assert inspect.isclass(tf.contrib.distribute.TPUStrategy)


@page.clause("/inherits/one-device-strategy")
def inherits(tf):
    package = tf.contrib.distribute
    assert issubclass(package.TPUStrategy, package.OneDeviceStrategy)


@page.clause("/signature/init-parameters")
def init_parameters(tf):
    names = [
        name for name, _, _ in parameters(tf.contrib.distribute.TPUStrategy.__init__)
    ]
    same(names, ["tpu_cluster_resolver", "steps_per_run", "num_cores"])


@page.clause("/signature/init-required")
def init_required(tf):
    strategy = tf.contrib.distribute.TPUStrategy
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu="local")
    expect_raises(TypeError, strategy)
    expect_raises(TypeError, strategy, resolver)
    expect_raises(TypeError, strategy, steps_per_run=1)
    defaults = [default for _, default, _ in parameters(strategy.__init__)[:2]]
    same(defaults, [inspect.Parameter.empty] * 2)


@page.clause("/signature/init-default-num-cores")
def init_default_num_cores(tf):
    same(
        parameters(tf.contrib.distribute.TPUStrategy.__init__)[2],
        ("num_cores", None, ""),
    )


@page.clause("/behaviour/constructs")
def constructs(tf):
    with size(tf, 4):
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu="local")
        strategy = tf.contrib.distribute.TPUStrategy(resolver, steps_per_run=2)
        assert isinstance(strategy, tf.contrib.distribute.TPUStrategy), repr(strategy)
        with strategy.scope():
            tf.constant(1.0)


@page.clause("/args:tpu_cluster_resolver/gives-cluster-information")
def resolver_gives_cluster_information(tf):
    strategy = cluster_strategy(tf, [4, 4])
    same(strategy.num_hosts, 2)
    same(strategy.num_towers, 8)
    same(cluster_strategy(tf, [2]).num_towers, 2)
    three = cluster_strategy(tf, [2, 2, 2])
    same((three.num_hosts, three.num_towers), (3, 6))


@page.clause("/args:steps_per_run/stored")
def steps_per_run_stored(tf):
    with size(tf, 2):
        for steps in (1, 2, 100):
            same(local_strategy(tf, steps_per_run=steps).steps_per_run, steps)


@page.clause("/args:steps_per_run/only-for-estimator-and-keras")
def steps_per_run_only_for_estimator(tf):
    same([counted_steps(tf, steps_per_run) for steps_per_run in (1, 100)], [3.0, 3.0])


def counted_steps(tf, steps_per_run):
    """Return how often three iterations of a counting step took place."""
    settings = {"cores": 2, "steps_per_run": steps_per_run}
    with fresh_graph(tf), running_strategy(tf, **settings) as (session, strategy):
        count = variable(tf, "count")
        data = strategy.distribute_dataset(
            lambda: tf.data.Dataset.from_tensors([1.0]).repeat()
        )

        def step(context, x):
            return strategy.group(strategy.update(count, lambda v: v.assign_add(1.0)))

        iterator = data.make_one_shot_iterator()
        context = strategy.run_steps_on_dataset(step, iterator, iterations=3)
        initialise_variables(tf, session)
        session.run(context.run_op)
        return session.run(count)


@page.clause("/args:num_cores/limits-cores")
def num_cores_limits_cores(tf):
    with size(tf, 8):
        same(local_strategy(tf, num_cores=4).num_towers, 4)
        same(local_strategy(tf, num_cores=8).num_towers, 8)
        same([local_strategy(tf, num_cores=n).num_towers for n in (1, 3)], [1, 3])
        for cores in (9, 16, -1):
            expect_raises(ValueError, local_strategy, tf, num_cores=cores)


@page.clause("/args:num_cores/none-detects-cores")
def num_cores_none_detects_cores(tf):
    for cores in (1, 2, 4):
        with size(tf, cores):
            same(local_strategy(tf, num_cores=None).num_towers, cores)
            same(local_strategy(tf).num_towers, cores)


@page.clause("/args:num_cores/none-detects-topology")
def num_cores_none_detects_topology(tf):
    strategy = cluster_strategy(tf, [4, 4], num_cores=None)
    same((strategy.num_hosts, strategy.num_towers_per_host), (2, 4))
    strategy = cluster_strategy(tf, [2, 2], coordinator="coordinator")
    same((strategy.num_hosts, strategy.num_towers_per_host), (2, 2))


def property_is(tf, strategy_class, name, expected):
    with strategy_in_scope(tf) as strategy:
        answer = getattr(strategy, name)
        assert answer is expected, repr(answer)


for _name, _expected in (
    ("between_graph", False),
    ("should_checkpoint", True),
    ("should_init", True),
    ("should_save_summary", True),
):
    page.clause(f".{_name}/property/boolean")(
        about(property_is, "tf.contrib.distribute.TPUStrategy", _name, _expected)
    )


@page.clause(".between_graph/property/constant")
def between_graph_constant(tf):
    with fixed_system(tf, cores=2) as session:
        strategy = local_strategy(tf)
        values = [strategy.between_graph]
        with strategy.scope():
            values.append(strategy.between_graph)
            session.run(list(strategy.unwrap(per_tower(tf, strategy, [1.0, 2.0]))))
            values.append(strategy.between_graph)
        values.append(strategy.between_graph)
        if has_eager_mode(tf):
            with eager_mode(tf):
                values.append(strategy.between_graph)
    same(values, [values[0]] * len(values))


@page.clause(".is_single_tower/property/boolean")
def is_single_tower(tf):
    for cores, used, single in ((1, None, True), (2, None, False), (4, 1, True)):
        with strategy_in_scope(tf, cores=cores, num_cores=used) as strategy:
            answer = strategy.is_single_tower
            assert answer is single, f"{cores} cores: {answer!r}"


def calls_of(tf, cores, **arguments):
    """Return is_single_tower, and how often call_for_each_tower calls a function."""
    with strategy_in_scope(tf, cores=cores, **arguments) as strategy:
        calls = []
        strategy.call_for_each_tower(lambda: calls.append(1))
        return strategy.is_single_tower, len(calls)


@page.clause(".is_single_tower/property/true-means-one-call")
def is_single_tower_true(tf):
    same(calls_of(tf, cores=1), (True, 1))
    same(calls_of(tf, cores=4, num_cores=1), (True, 1))


@page.clause(".is_single_tower/property/false-allows-several-calls")
def is_single_tower_false(tf):
    same(calls_of(tf, cores=4), (False, 4))


@page.clause(".num_hosts/property/count")
def num_hosts(tf):
    with size(tf, 4):
        same(local_strategy(tf).num_hosts, 1)
    if not has_hosts(tf):
        return
    same(cluster_strategy(tf, [4, 4]).num_hosts, 2)
    same(cluster_strategy(tf, [2, 2, 2]).num_hosts, 3)


@page.clause(".num_towers/property/count")
def num_towers(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        same(strategy.num_towers, 4)
        value = per_tower(tf, strategy, [1.0, 2.0, 3.0, 6.0])
        device = strategy.worker_devices[0]
        mean = strategy.reduce(tf.VariableAggregation.MEAN, value, device)
        # float32, whole numbers and a power of two: exact
        same(session.run(strategy.unwrap(mean)[0]), 12.0 / 4)


@page.clause(".num_towers_per_host/property/count")
def num_towers_per_host(tf):
    with size(tf, 4):
        same(local_strategy(tf).num_towers_per_host, 4)
        same(local_strategy(tf, num_cores=2).num_towers_per_host, 2)
    if not has_hosts(tf):
        return
    for cores in ([4, 4], [2, 2, 2], [8, 8, 8, 8]):
        strategy = cluster_strategy(tf, cores)
        same(strategy.num_towers_per_host, cores[0])
        same(strategy.num_hosts * strategy.num_towers_per_host, strategy.num_towers)
    expect_raises((RuntimeError, ValueError), cluster_strategy, tf, [4, 2])


@page.clause(".parameter_devices/property/list")
def parameter_devices(tf):
    with strategy_in_scope(tf) as strategy:
        devices = list(strategy.parameter_devices)
        assert all(isinstance(device, str) for device in devices), devices
        parts = strategy.unwrap(variable(tf))
        same([part.device for part in parts], devices)
        same(len(devices), 4)
        seen = []
        strategy.update(
            variable(tf, "u"), lambda v: seen.append(tf.constant(0.0).device)
        )
        same(seen, devices, call="devices of an update")
    strategy = many_towers(tf)
    devices = list(strategy.parameter_devices)
    same((len(devices), len(set(devices))), (6, 6), call="devices of three hosts")
    with strategy.scope():
        parts = strategy.unwrap(variable(tf, "on_three_hosts"))
    same([part.device for part in parts], devices)


@page.clause(".worker_device_index/property/maps-device-to-id")
def worker_device_index(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        same(strategy.unwrap(strategy.worker_device_index), [0, 1, 2, 3])
    strategy = many_towers(tf, [4, 4, 4])
    with strategy.scope():
        same(strategy.unwrap(strategy.worker_device_index), list(range(12)))


@page.clause(".worker_device_index/property/zero-for-single-tower")
def worker_device_index_single(tf):
    for cores, arguments in ((1, {}), (4, {"num_cores": 1})):
        with strategy_in_scope(tf, cores=cores, **arguments) as strategy:
            index = strategy.worker_device_index
            assert isinstance(index, int) and index == 0, repr(index)


@page.clause(".worker_device_index/property/index-object-otherwise")
def worker_device_index_object(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        index = strategy.worker_device_index
        assert not isinstance(index, int), repr(index)
        received = strategy.call_for_each_tower(lambda number: number, index)
        same(strategy.unwrap(received), [0, 1, 2, 3])
        received = strategy.call_for_each_tower(
            lambda k: k["index"][0], k={"index": [index]}
        )
        same(strategy.unwrap(received), [0, 1, 2, 3], call="within a nest")
        same(type(received), type(index))


@page.clause(".worker_device_index/example/passed-to-call-for-each-tower")
def worker_device_index_example(tf):
    seen = []
    with running_strategy(tf, cores=4) as (session, distribution_strategy):

        def fn(device_id):
            result = tf.constant(device_id)
            seen.append((device_id, result.device))
            return result

        results = distribution_strategy.call_for_each_tower(
            fn, distribution_strategy.worker_device_index
        )
        same(session.run(list(distribution_strategy.unwrap(results))), [0, 1, 2, 3])
        for device_id, device in seen:
            assert isinstance(device_id, int), repr(device_id)
            same(device, distribution_strategy.worker_devices[device_id])


@page.clause(".worker_devices/property/list")
def worker_devices(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        devices = strategy.worker_devices
        assert isinstance(devices, list), repr(devices)
        assert all(isinstance(device, str) for device in devices), devices
        same((len(devices), len(set(devices))), (4, 4))
        same(strategy.num_towers, 4)
    with strategy_in_scope(tf, cores=12) as strategy:
        numbers = [int(one.rpartition(":")[2]) for one in strategy.worker_devices]
        same(numbers, list(range(12)), call="numbers of the devices")
    if not has_hosts(tf):
        return
    # The master lists TPU:0 and TPU:1 on each host.
    devices = cluster_strategy(tf, [2, 2, 2]).worker_devices
    numbers = [tuple(map(int, re.findall(r":(\d+)", device))) for device in devices]
    expected = [(task, core) for task in range(3) for core in range(2)]
    same(sorted(one[-2:] for one in numbers), expected, call="(task, core)")


@page.clause(".worker_devices/property/used-by-calls")
def worker_devices_used(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        values = per_tower(tf, strategy, [0, 1, 2, 3])
        devices = [part.device for part in strategy.unwrap(values)]
        same(devices, list(strategy.worker_devices))
    strategy = many_towers(tf)
    with strategy.scope():
        made = strategy.call_for_each_tower(lambda: tf.constant(1.0))
        devices = [part.device for part in strategy.unwrap(made)]
    same(devices, list(strategy.worker_devices), call="devices on three hosts")


@clause("tf.get_tower_context/name/exists")
def get_tower_context_exists(tf):
    assert callable(tf.get_tower_context)


@clause("tf.VariableAggregation/name/members")
def variable_aggregation_members(tf):
    kinds = tf.VariableAggregation
    same(len({kinds.SUM, kinds.MEAN, kinds.ONLY_FIRST_TOWER}), 3)


@clause("tf.group/name/exists")
def group_exists(tf):
    first, second = (
        tf.group(tf.constant(1.0), name=name) for name in ("first", "second")
    )
    both = tf.group(first, second)
    same(
        {one.name for one in ancestors(both)} & {"first", "second"}, {"first", "second"}
    )


def ancestors(operation):
    """Return all operations that ``operation`` waits for."""
    seen, left = set(), [operation]
    while left:
        one = left.pop()
        before = set(one.control_inputs) | {tensor.op for tensor in one.inputs}
        left += before - seen
        seen |= before
    return seen


@clause("tf.colocate_with/name/exists")
def colocate_with_exists(tf):
    assert callable(tf.colocate_with)


@clause("tf.data.Dataset/name/used-methods")
def dataset_used_methods(tf):
    dataset = tf.data.Dataset.from_tensors([[1.0]]).repeat()
    assert isinstance(dataset, tf.data.Dataset), repr(dataset)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(3):
            same(session.run(element), [[1.0]])
