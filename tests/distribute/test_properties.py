"""The constructor and the properties."""

from __future__ import annotations

import pytest

import tpuref as tf

TPUStrategy = tf.contrib.distribute.TPUStrategy


def test_006_usable_at_once():
    local = tf.contrib.cluster_resolver.TPUClusterResolver(tpu="local")
    strategy = TPUStrategy(local, steps_per_run=2)
    with strategy.scope():
        assert tf.get_distribution_strategy() is strategy


def test_007_012_018_020_cluster_of_two_hosts(cluster):
    strategy = TPUStrategy(cluster(hosts=2, cores_per_host=4), 1)
    assert (strategy.num_hosts, strategy.num_towers) == (2, 8)
    assert strategy.num_towers_per_host == 4
    assert strategy.worker_devices[5] == "/job:worker/task:1/device:TPU:1"


def test_007_accelerators_as_releases_give_them(cluster):
    class Mapping(cluster):
        def num_accelerators(self):
            return {"TPU": 8}

    strategy = TPUStrategy(Mapping(hosts=4, cores_per_host=0), 1)
    assert (strategy.num_hosts, strategy.num_towers) == (4, 32)


def test_007_objects_without_the_methods_are_refused():
    for wrong in (None, "grpc://10.0.0.1:8470"):
        with pytest.raises(TypeError, match="must be a .*TPUClusterResolver"):
            TPUStrategy(wrong, 1)


def test_007_a_master_without_cores_is_refused(cluster):
    with pytest.raises(ValueError, match="has no TPU cores"):
        TPUStrategy(cluster(hosts=1, cores_per_host=0), 1)


@pytest.mark.parametrize("steps", [1, 100, 0, -3, None])
def test_008_steps_per_run_is_kept(steps, resolver):
    assert TPUStrategy(resolver, steps).steps_per_run == steps


def test_009_steps_per_run_changes_no_method(resolver):
    calls = []
    with tf.config.override(cores=2):
        for steps in (1, 100):
            strategy = TPUStrategy(resolver, steps)
            with strategy.scope():
                strategy.call_for_each_tower(lambda: calls.append(0))
    assert len(calls) == 4


def test_010_num_cores_limits_the_towers(resolver):
    with tf.config.override(cores=8):
        strategy = TPUStrategy(resolver, 1, num_cores=4)
        assert (strategy.num_towers, strategy.num_towers_per_host) == (4, 4)
        with strategy.scope(), tf.Session() as sess:
            ids = strategy.call_for_each_tower(
                lambda: tf.constant(tf.get_tower_context().tower_id)
            )
            assert sess.run(strategy.unwrap(ids)) == [0, 1, 2, 3]


@pytest.mark.parametrize("num_cores", [9, 16])
def test_010_more_cores_than_there_are(num_cores, resolver):
    told = f"num_cores is {num_cores}, but the TPU system has 8 cores"
    with tf.config.override(cores=8), pytest.raises(ValueError, match=told):
        TPUStrategy(resolver, 1, num_cores=num_cores)


@pytest.mark.parametrize("num_cores", [0, -1])
def test_010_less_than_one_core(num_cores, resolver):
    with pytest.raises(ValueError, match="at least 1"):
        TPUStrategy(resolver, 1, num_cores=num_cores)


@pytest.mark.parametrize("num_cores", ["4", 4.0, True])
def test_010_cores_are_counted_in_whole_numbers(num_cores, resolver):
    with pytest.raises(TypeError, match="whole number"):
        TPUStrategy(resolver, 1, num_cores=num_cores)


@pytest.mark.parametrize("cores", [1, 2, 4, 8])
def test_011_cores_are_detected(cores, resolver):
    with tf.config.override(cores=cores):
        assert TPUStrategy(resolver, 1).num_towers == cores


def test_011_a_running_system_counts(resolver, session):
    with tf.config.override(topology="2x1x2"):
        session.run(tf.tpu.initialize_system())
    assert TPUStrategy(resolver, 1).num_towers == 4


def test_013_014_between_graph_is_constant(strategy_of):
    strategy = strategy_of(2)
    seen = [strategy.between_graph]
    with strategy.scope():
        seen.append(strategy.between_graph)
        strategy.initialize()
    seen.append(strategy.between_graph)
    assert seen == [False] * 3


@pytest.mark.parametrize(("towers", "single"), [(1, True), (2, False), (4, False)])
def test_015_016_017_is_single_tower(towers, single, strategy_of):
    strategy, calls = strategy_of(towers), []
    assert strategy.is_single_tower is single
    with strategy.scope():
        strategy.call_for_each_tower(lambda: calls.append(0))
    assert len(calls) == towers


def test_018_019_020_local_counts(strategy_of):
    strategy = strategy_of(4)
    assert (strategy.num_hosts, strategy.num_towers) == (1, 4)
    assert strategy.num_towers_per_host == 4


def test_020_uneven_hosts_are_an_error(cluster):
    strategy = TPUStrategy(cluster(hosts=2, cores_per_host=4), 1, num_cores=6)
    with pytest.raises(ValueError, match="spread unevenly"):
        strategy.num_towers_per_host  # noqa: B018 - the property raises


@pytest.mark.parametrize("towers", [1, 2, 8])
def test_021_029_devices(towers, strategy_of):
    strategy = strategy_of(towers)
    devices = strategy.worker_devices
    assert devices == strategy.parameter_devices
    assert len(set(devices)) == towers
    assert all(isinstance(device, str) for device in devices)
    devices.clear()
    assert len(strategy.worker_devices) == towers


def test_022_023_024_one_program_does_it_all(strategy_of):
    strategy = strategy_of(2)
    assert strategy.should_checkpoint is True
    assert strategy.should_init is True
    assert strategy.should_save_summary is True


def test_025_027_device_index(strategy_of):
    strategy = strategy_of(4)
    with strategy.scope():
        index = strategy.worker_device_index
        assert not isinstance(index, int)
        assert strategy.unwrap(index) == [0, 1, 2, 3]


def test_026_device_index_of_a_single_tower(strategy_of):
    strategy = strategy_of(1)
    with strategy.scope():
        assert strategy.worker_device_index == 0
        assert type(strategy.worker_device_index) is int


def test_025_outside_of_the_scope(strategy_of):
    with pytest.raises(RuntimeError, match=r"with strategy.scope\(\)"):
        strategy_of(2).worker_device_index  # noqa: B018 - the property raises


def test_030_calls_are_placed_on_the_devices(strategy_of):
    strategy = strategy_of(4)
    with strategy.scope():
        placed = strategy.call_for_each_tower(lambda: tf.constant(1).device)
    assert strategy.unwrap(placed) == strategy.worker_devices


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_030_calls_run_on_the_cores(executor, strategy_of, traced):
    strategy = strategy_of(2)
    with tf.config.override(cores=2, executor=executor), strategy.scope():
        sums = strategy.call_for_each_tower(lambda: tf.constant(1) + tf.constant(2))
        _, trace = traced(strategy.unwrap(sums))
    ran = {record.operation: record.core for record in trace}
    assert ran["add"] == 0
    assert ran["tower_1/add"] == 1


@pytest.mark.parametrize("name", ["num_towers", "worker_devices", "num_hosts"])
def test_properties_cannot_be_set(name, strategy_of):
    with pytest.raises(AttributeError):
        setattr(strategy_of(2), name, 3)


def test_repr_tells_the_size(strategy_of):
    assert repr(strategy_of(2)) == "<TPUStrategy of 2 towers on 1 host(s)>"
