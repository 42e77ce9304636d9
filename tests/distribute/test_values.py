"""PerDevice and Mirrored values: unwrap, value_container, group, and their use."""

from __future__ import annotations

import gc

import pytest

import tpuref as tf

PerDevice = tf.contrib.distribute.PerDevice


@pytest.fixture
def strategy(strategy_of):
    """Four towers, in scope."""
    chosen = strategy_of(4)
    with chosen.scope():
        yield chosen


def per_tower(strategy):
    return strategy.call_for_each_tower(
        lambda: tf.constant(tf.get_tower_context().tower_id)
    )


def contains(values, value):
    return any(value is element for element in values)


def test_130_131_components_in_tower_order(strategy, evaluate):
    parts = strategy.unwrap(per_tower(strategy))
    assert type(parts) is list
    assert evaluate(parts) == [0, 1, 2, 3]
    var = tf.get_variable("var", [])
    assert len(strategy.unwrap(var)) == 4
    assert all(type(part) is tf.Variable for part in strategy.unwrap(var))


@pytest.mark.parametrize("value", [5, "x", None, (1, 2), [1, 2], {"a": 1}])
def test_132_149_a_value_without_components(value, strategy):
    (alone,) = strategy.unwrap(value)
    assert alone is value
    assert strategy.value_container(value) is value
    assert contains(strategy.unwrap(strategy.value_container(value)), value)


def test_132_a_tensor(strategy):
    tensor = tf.constant(1)
    assert strategy.unwrap(tensor) == [tensor]
    assert strategy.value_container(tensor) is tensor


def test_146_147_containers_of_parts_and_wholes(strategy):
    value, var = per_tower(strategy), tf.get_variable("var", [])
    copies = strategy.broadcast(tf.constant(1))
    for whole in (value, var, copies):
        assert strategy.value_container(whole) is whole
        for part in strategy.unwrap(whole):
            assert strategy.value_container(part) is whole
            container = strategy.value_container(part)
            assert contains(strategy.unwrap(container), part)


def test_148_the_container_is_gone(strategy):
    value = per_tower(strategy)
    part = strategy.unwrap(value)[1]
    assert strategy.value_container(part) is value
    del value
    gc.collect()
    assert strategy.value_container(part) is part


def test_148_numbers_belong_to_no_container(strategy):
    index = strategy.worker_device_index
    assert strategy.unwrap(index) == [0, 1, 2, 3]
    assert strategy.value_container(1) == 1


def test_149_a_part_of_two_containers(strategy):
    part = tf.constant(1)
    first = PerDevice(dict.fromkeys(strategy.worker_devices, part))
    second = PerDevice({"/device:CPU:0": part})
    assert strategy.value_container(part) is second
    del second
    gc.collect()
    container = strategy.value_container(part)
    assert contains(strategy.unwrap(container), part)
    assert len(first) == 4


def test_086_group(strategy):
    operations = strategy.call_for_each_tower(tf.no_op)
    grouped = strategy.group(operations, name="g")
    assert grouped.name == "g"
    assert set(grouped.control_inputs) == set(strategy.unwrap(operations))
    alone = tf.no_op()
    assert strategy.group(alone) is alone
    assert strategy.group(alone, name="other").control_inputs == [alone]


def test_loud_reprs(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        index = strategy.worker_device_index
        copies = strategy.broadcast(tf.constant(1, name="one"))
    assert repr(index) == (
        "PerDevice({'/replica:0/task:0/device:TPU:0': 0, "
        "'/replica:0/task:0/device:TPU:1': 1})"
    )
    assert repr(copies).startswith("Mirrored({'/replica:0/task:0/device:TPU:0': <tf.")


@pytest.mark.parametrize(
    "use",
    [lambda v: tf.identity(v), lambda v: tf.constant(1) + v, lambda v: tf.add(v, v)],
)
def test_per_device_values_are_no_tensors(use, strategy):
    with pytest.raises(TypeError, match=r"strategy.reduce\(.*strategy.unwrap\(value\)"):
        use(per_tower(strategy))


def test_per_device_values_have_no_operators(strategy):
    with pytest.raises(TypeError, match=r"unsupported operand type.*PerDevice"):
        per_tower(strategy) + 1


def test_per_device_values_are_not_fetched(strategy, session):
    with pytest.raises(TypeError, match=r"cannot fetch PerDevice"):
        session.run(per_tower(strategy))


@pytest.mark.parametrize("make", [per_tower, lambda s: s.broadcast(tf.constant(1.0))])
def test_values_are_not_iterated_over(make, strategy):
    with pytest.raises(TypeError, match=r"strategy.unwrap\(value\)"):
        list(make(strategy))


def test_get_gives_the_component_of_a_device(strategy):
    value, devices = strategy.worker_device_index, strategy.worker_devices
    assert [value.get(device) for device in devices] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="no component for the device 'nowhere'"):
        value.get("nowhere")
    own = strategy.call_for_each_tower(lambda: value.get())
    assert strategy.unwrap(own) == [0, 1, 2, 3]


def test_mirrored_values_stand_for_the_nearest_component(strategy, evaluate):
    copies = strategy.broadcast(tf.constant(2.0))
    assert evaluate(copies + 1.0) == 3.0
    assert (copies.dtype, copies.shape.as_list()) == (tf.float32, [])
    sums = strategy.call_for_each_tower(lambda: tf.add(copies, 0.0).op.inputs[0])
    assert strategy.unwrap(sums) == strategy.unwrap(copies)


def test_a_value_needs_a_device():
    with pytest.raises(ValueError, match="at least one device"):
        PerDevice({})
