"""Checks of TPUStrategy: components of its variables and values, as tpuref has them."""

import gc

import numpy as np
import pytest
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.probes import eager_mode, initialise_variables
from tpuref_conformance.suite.tpu_strategy_page import (
    evaluated,
    local_strategy,
    per_tower,
    running_strategy,
    size,
    strategy_in_scope,
    tower_context,
    variable,
)

from ..messages import refused


def parts_of(session, strategy, value):
    """Return the values of the components themselves, whatever the whole says."""
    return session.run([part.read_value() for part in strategy.unwrap(value)])


def local(tf, name="local", value=0.0, aggregation=None):
    """Return a variable that is local to each tower."""
    settings = {} if aggregation is None else {"aggregation": aggregation}
    return variable(
        tf, name, value, synchronization=tf.VariableSynchronization.ON_READ, **settings
    )


@pytest.mark.parametrize("strategy", [3], indirect=True)
def test_components(tf, session, strategy):
    with tf.variable_scope("layer"):
        v = tf.get_variable("v", [2, 2], initializer=tf.random_uniform_initializer())
    with tf.variable_scope("layer", reuse=True):
        assert tf.get_variable("v", [2, 2]) is v
    expect_raises(ValueError, tf.get_variable, "layer/v", [2, 2])
    names = [part.name for part in strategy.unwrap(v)]
    same(names, ["layer/v:0", "layer/v/replica_1:0", "layer/v/replica_2:0"])
    same((v.name, v.dtype.name, v.shape.as_list()), ("layer/v:0", "float32", [2, 2]))
    same((v.trainable, len(v)), (True, 3))
    same(v.device, strategy.parameter_devices[0])
    mine = tf.get_variable("w", [], tf.float16, trainable=False, collections=["mine"])
    same((mine.trainable, mine.dtype.name), (False, "float16"))
    for collected, expected in (
        (tf.global_variables(), [v]),
        (tf.trainable_variables(), [v]),
        (tf.get_collection("mine"), [mine]),
    ):
        same([one.name for one in collected], [one.name for one in expected])
        assert all(a is b for a, b in zip(collected, expected, strict=True)), collected
    session.run([v.initializer, mine.initializer])
    first, second, third = parts_of(session, strategy, v)
    same((second, third), (first, first))
    same(session.run(v), first)
    same(v.initial_value.shape.as_list(), [2, 2])
    same(
        repr(variable(tf, "x", aggregation=tf.VariableAggregation.SUM)),
        "<MirroredVariable 'x:0' shape=() dtype=float32 aggregation=SUM on "
        + ", ".join(strategy.worker_devices)
        + ">",
    )


def test_one_initializer(tf, session, strategy):
    v = variable(tf, value=3.0)
    same(session.run(v.is_initialized()), False)
    first, second = strategy.unwrap(v)
    for part, both in ((second, False), (first, True)):
        session.run(part.initializer)
        same(session.run(v.is_initialized()), both)
    v.load(7.0, session)
    same(parts_of(session, strategy, v), [7.0, 7.0])
    with tf.name_scope("inner"), tf.control_dependencies([tf.no_op()]):
        initializer = v.initializer
    same((initializer.name, initializer is v.initializer), ("v/init", True))
    session.run(initializer)
    same(parts_of(session, strategy, v), [3.0, 3.0])
    same(session.run(v.is_initialized(name="known")), True)
    once = variable(tf, "once")
    session.run(strategy.unwrap(once)[0].initializer)
    same(session.run(once.is_initialized()), False)
    # Made at a first use within a computation, it is of use outside of it too.
    w = variable(tf, "w", 5.0)
    strategy.call_for_each_tower(lambda: w.initializer)
    session.run(w.initializer)
    same(parts_of(session, strategy, w), [5.0, 5.0])


def test_kinds_of_variables(tf):
    sync = tf.VariableSynchronization

    def make(**settings):
        return tf.get_variable("v", [], **settings)

    with strategy_in_scope(tf, cores=2) as strategy:
        words = ["synchronization", "NONE", "cannot be used in the scope"]
        refused(ValueError, words, make, synchronization=sync.NONE)
        words = ["aggregation must be one of tf.VariableAggregation, got 'sum'"]
        refused(ValueError, words, make, aggregation="sum")
        local = make(trainable=True, synchronization=sync.ON_READ)
        same(tf.trainable_variables() == [local], True)
        for when, kind in (
            (sync.AUTO, "MirroredVariable"),
            (sync.ON_WRITE, "MirroredVariable"),
            (sync.ON_READ, "TowerLocalVariable"),
        ):
            made = tf.get_variable("v_" + when.name, [], synchronization=when)
            same(type(made).__name__, kind)
            same(made.synchronization is when, True)
            same(made.devices, strategy.worker_devices)
    made = tf.get_variable("plain", [], synchronization=sync.ON_READ)
    same((type(made) is tf.Variable, made.trainable), (True, False))


def test_assigned_whole(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        v = variable(tf, value=1.0)
        grown = v.assign_add(2.0)
        initialise_variables(tf, session)
        same(session.run(strategy.unwrap(grown)[1]), 3.0)
        same(parts_of(session, strategy, v), [3.0, 3.0])
        session.run(tf.assign_sub(v, 1.0))
        same(parts_of(session, strategy, v), [2.0, 2.0])
        session.run(strategy.unwrap(v.assign_add(1.0, read_value=False))[0])
        same(parts_of(session, strategy, v), [3.0, 3.0])
        session.run(strategy.unwrap(strategy.update(v, lambda c: c.assign(8.0)))[0])
        same(parts_of(session, strategy, v), [8.0, 8.0])
    outside = v.assign(5.0)
    with tf.Session() as session:
        session.run(v.initializer)
        same(session.run(outside), 5.0)
        same(parts_of(session, strategy, v), [5.0, 5.0])
        session.run(v.assign_add(1.0, read_value=False))
        same(parts_of(session, strategy, v), [6.0, 6.0])


def test_assigned_in_towers(tf, session, strategy):
    kinds = tf.VariableAggregation
    for kind, own, shared in (
        (kinds.SUM, 4.0, 3.0),
        (kinds.MEAN, 2.5, 2.0),
        (kinds.ONLY_FIRST_TOWER, 2.0, 2.0),
    ):
        v = variable(tf, "v_" + kind.name, 1.0, aggregation=kind)
        grown = strategy.call_for_each_tower(
            lambda v=v: v.assign_add(tower_context(tf).tower_id + 1.0)
        )
        session.run(v.initializer)
        same(evaluated(session, strategy, grown), [own, own])
        same(parts_of(session, strategy, v), [own, own])
        grown = strategy.call_for_each_tower(lambda v=v: v.assign_add(1.0))
        session.run(v.initializer)
        # One number in all towers counts once for each.
        same(session.run(strategy.unwrap(grown)[1]), shared)
        same(parts_of(session, strategy, v), [shared, shared])
    alone = variable(tf, "alone")
    words = ["MirroredVariable 'alone:0'", "cannot be assigned within a tower"]
    words += ["aggregation=", "merge_call with strategy.reduce"]
    call = strategy.call_for_each_tower
    refused(ValueError, words, call, lambda: alone.assign_add(1.0))


def test_tower_local(tf, session, strategy):
    kinds = tf.VariableAggregation
    v = local(tf, "v", 1.0, kinds.SUM)
    plain = local(tf, "plain", 1.0)

    def add(one):
        grown = one.assign_add(tower_context(tf).tower_id + 1.0)
        with tf.control_dependencies([grown]):
            return one.read_value() * 10.0

    added = [strategy.call_for_each_tower(add, one) for one in (v, plain)]
    initialise_variables(tf, session)
    same(session.run(v), 2.0)
    for result in added:
        same(evaluated(session, strategy, result), [20.0, 30.0])
    same(parts_of(session, strategy, v), [2.0, 3.0])
    same((session.run(v), session.run(v + 0.0)), (5.0, 5.0))
    same(session.run(strategy.read_var(v)), 5.0)
    same(session.run(v.read_value()), 5.0)
    first = local(tf, "first", 4.0, kinds.ONLY_FIRST_TOWER)
    mean = local(tf, "mean", 4.0, kinds.MEAN)
    initialise_variables(tf, session)
    for one in (first, mean):
        added = strategy.call_for_each_tower(add, one)
        same(evaluated(session, strategy, added), [50.0, 60.0])
    same(session.run([first, mean]), [5.0, 5.5])
    same(session.run([strategy.read_var(first), mean.read_value()]), [5.0, 5.5])
    words = ["TowerLocalVariable 'plain:0'", "cannot be read outside of the towers"]
    words += ["strategy.unwrap(variable)"]
    for read in (plain.read_value, lambda: plain + 1.0):
        refused(ValueError, words, read)
    refused(ValueError, words, strategy.read_var, plain)
    words = ["belongs to the towers and can be assigned only within one"]
    refused(ValueError, words, v.assign, 1.0)
    session.run(strategy.unwrap(strategy.update(v, lambda c: c.assign(8.0))))
    same(parts_of(session, strategy, v), [8.0, 8.0])
    for unfit in (tf.constant(1.0), 5, None):
        words = ["read_var: tower_local_var must be a variable"]
        refused(TypeError, words, strategy.read_var, unfit)


def test_reads_where_it_is(tf, session, strategy):
    v = variable(tf, value=1.0)
    copies = strategy.broadcast(tf.constant(2.0))
    components = {d: tf.constant(float(k)) for k, d in enumerate(v.devices)}
    differing = tf.contrib.distribute.Mirrored(components)
    same(session.run([differing, differing + 10.0]), [0.0, 10.0])
    initialise_variables(tf, session)
    session.run(strategy.unwrap(v)[1].assign(5.0))
    reads = strategy.call_for_each_tower(lambda: (v + 0.0, copies + 0.0, v.op.name))
    same(evaluated(session, strategy, reads[0]), [1.0, 5.0])
    same([part.device for part in strategy.unwrap(reads[0])], strategy.worker_devices)
    sources = [part.op.inputs[0] for part in strategy.unwrap(reads[1])]
    assert all(a is b for a, b in zip(sources, strategy.unwrap(copies), strict=True)), (
        sources
    )
    same(strategy.unwrap(reads[2]), ["v", "v/replica_1"])
    same((session.run(v + 0.0), session.run(copies + 1.0)), (1.0, 3.0))
    same(session.run([v, copies]), [1.0, 2.0])
    same((copies.dtype.name, copies.shape.as_list(), len(copies)), ("float32", [], 2))
    doubled = strategy.update_non_slot(
        strategy.worker_devices, lambda: v.assign(v * 2.0)
    )
    same(evaluated(session, strategy, doubled), [2.0, 10.0])
    # In a computation only the core of the first component knows that one.
    fed = tf.tpu.replicate(lambda: v.read_value() + 0.0, [[], []])
    same(session.run(fed), [[2.0], [2.0]])


def test_no_tensors(tf, strategy):
    package = tf.contrib.distribute
    first, second = strategy.worker_devices
    value = per_tower(tf, strategy, [1.0, 2.0])
    copies = strategy.broadcast(tf.constant(1.0))
    words = ["PerDevice", "differs from tower to tower", "strategy.reduce("]
    words += ["strategy.unwrap(value)", "call_for_each_tower(fn, value)"]
    for use in (tf.identity, lambda v: tf.constant(1.0) + v, strategy.broadcast):
        refused(TypeError, words, use, value)
    expect_raises(TypeError, lambda: value + 1.0)
    for one in (value, copies):
        words = ["cannot be iterated over; strategy.unwrap(value) gives the list"]
        refused(TypeError, words, list, one)
        same(one.devices, [first, second])
        same(len(one), 2)
    same(
        (value.dtype.name, value.get(second) is strategy.unwrap(value)[1]),
        ("float32", True),
    )
    index = strategy.worker_device_index
    same([index.get(device) for device in (second, first)], [1, 0])
    own = strategy.call_for_each_tower(lambda: index.get() * 10)
    same(strategy.unwrap(own), [0, 10])
    words = ["has no component for the device 'nowhere'; it has those of " + first]
    refused(ValueError, words, index.get, "nowhere")
    refused(ValueError, ["for the device None"], index.get)
    same(repr(index), "PerDevice({'" + first + "': 0, '" + second + "': 1})")
    same(index.on_devices([first, second]), True)
    same(index.on_devices([first, "/device:CPU:0"]), False)
    # The type is that of the first component, and one may be shared.
    mixed = package.PerDevice({first: 1.0, second: 2})
    same(mixed.dtype.name, "float32")
    refused(BufferError, ["has 2 components", "DLPack"], mixed.__dlpack__)
    for kind in (package.PerDevice, package.Mirrored):
        words = [kind.__name__ + ": index must map at least one device"]
        refused(ValueError, words, kind, {})


def test_several_containers(tf, strategy):
    per_device = tf.contrib.distribute.PerDevice
    part = tf.constant(1)
    first = per_device(dict.fromkeys(strategy.worker_devices, part))
    second = per_device({"/device:CPU:0": part})
    assert strategy.value_container(part) is second
    del second
    gc.collect()
    found = strategy.value_container(part)
    assert any(part is one for one in strategy.unwrap(found)), repr(found)
    same(len(first), 2)
    same(strategy.unwrap(strategy.worker_device_index), [0, 1])
    same(strategy.value_container(1), 1)
    for made in (tf.no_op(), variable(tf)):
        whole = per_device({"/device:CPU:0": made})
        assert strategy.value_container(made) is whole, repr(made)


def test_eager_variables(tf):
    def numbers(strategy, value):
        return [float(part.numpy()) for part in strategy.unwrap(value)]

    with size(tf, 2), eager_mode(tf):
        strategy = local_strategy(tf)
        strategy.initialize()
        plain = tf.Variable(1.0)
        with strategy.scope():
            v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
            grown = strategy.call_for_each_tower(v.assign_add, tf.constant(1.0))
            same(numbers(strategy, grown), [3.0, 3.0])
            same((float(v.numpy()), bool(v.is_initialized().numpy())), (3.0, True))
            strategy.update(v, lambda c: c.assign(8.0))
            same(numbers(strategy, v), [8.0, 8.0])
            total = strategy.reduce(
                tf.VariableAggregation.SUM,
                strategy.call_for_each_tower(lambda: v + 0.0),
                v,
            )
            same((numbers(strategy, total), float(total.numpy())), ([16.0, 16.0], 16.0))
            found = strategy.update(plain, lambda c, d: c.assign_add(d), 2.0)
            same((float(found.numpy()), float(plain.numpy())), (3.0, 3.0))
            same(numbers(strategy, strategy.broadcast(tf.constant(4.0))), [4.0, 4.0])
            single = tf.contrib.distribute.PerDevice({v.devices[0]: tf.constant([3.0])})
            same(np.from_dlpack(single), [3.0])
            same(single.__dlpack_device__(), tf.constant(3.0).__dlpack_device__())
        v.assign(5.0)
        same(numbers(strategy, v), [5.0, 5.0])
        same((strategy.non_slot_devices([]), len(v)), (strategy.worker_devices, 2))
        strategy.finalize()
