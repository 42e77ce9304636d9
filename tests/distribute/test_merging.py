"""Checks of TPUStrategy: what tpuref makes of towers that call, merge and fail."""

import collections
import threading

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.probes import eager_mode, initialise_variables
from tpuref_conformance.suite.tpu_strategy_page import (
    strategy_in_scope,
    tower_context,
    variable,
)

from ..messages import refused, require_words

Pair = collections.namedtuple("Pair", "a b")


def number(tf):
    """Return the number of the current tower."""
    return tower_context(tf).tower_id


def tower_threads():
    """Return how many towers are still alive."""
    return sum(one.name.startswith("tower ") for one in threading.enumerate())


def test_misplaced_merge_calls(tf, strategy):
    contexts = []

    def in_branch():
        def branch():
            return tower_context(tf).merge_call(lambda strategy: tf.constant(1))

        return tf.cond(tf.constant(True), branch, lambda: tf.constant(0))

    def of_another():
        contexts.append(tower_context(tf))
        if number(tf) == 1:
            contexts[0].merge_call(lambda strategy: None)

    call = strategy.call_for_each_tower
    words = ["in tower 0 of 2", "merge_call was made within tf.cond"]
    refused(RuntimeError, words, call, in_branch)
    words = ["in tower 1 of 2", "merge_call of tower 0 was called outside of"]
    refused(RuntimeError, words, call, of_another)
    words = ["merge_call of tower 1 was called outside of"]
    refused(RuntimeError, words, contexts[1].merge_call, lambda strategy: None)
    same(tower_threads(), 0, call="towers that are left")


def test_tower_of_an_error(tf):
    def failing(error):
        def fn():
            if number(tf) == 2:
                raise error
            tower_context(tf).merge_call(lambda strategy: None)

        return fn

    with strategy_in_scope(tf, cores=4) as strategy:
        call = strategy.call_for_each_tower
        for error, text in (
            (ValueError("no luck", 5), "('in tower 2 of 4: no luck', 5)"),
            (KeyError("k"), "'in tower 2 of 4: k'"),
            (KeyError(), "'in tower 2 of 4: '"),
            (tf.errors.AbortedError("gone"), "in tower 2 of 4: gone"),
        ):
            found = expect_raises(type(error), call, failing(error))
            require_words(str(found), [text])
        if hasattr(ValueError, "add_note"):
            found = expect_raises(ValueError, call, failing(ValueError(5)))
            same((found.args, found.__notes__), ((5,), ["in tower 2 of 4"]))
        same(tower_threads(), 0, call="towers that are left")
        assert tower_context(tf) is None, "the towers were not left"
        # Only then were the other towers told: the graph is as before.
        same(tf.constant(1, name="next").name, "next:0")


def test_names_of_towers(tf):
    def fn():
        made = tf.constant(1, name="k")
        with tf.variable_scope(None, "layer"):
            return made, variable(tf, "v"), tf.constant(2, name="k")

    def names(value):
        return [part.name for part in strategy.unwrap(value)]

    with strategy_in_scope(tf, cores=3) as strategy:
        plain, _, _ = strategy.call_for_each_tower(fn)
        same(names(plain), ["k:0", "tower_1/k:0", "tower_2/k:0"])
        before = tf.no_op(name="before")
        with tf.name_scope("outer"), tf.control_dependencies([before]):
            plain, v, inner = strategy.call_for_each_tower(fn)
        same(names(plain), ["outer/k:0", "outer/tower_1/k:0", "outer/tower_2/k:0"])
        same(names(inner)[:2], ["outer/layer/k:0", "outer/tower_1/layer/k:0"])
        for part in strategy.unwrap(inner):
            same([op.name for op in part.op.control_inputs], ["before"])
        with tf.variable_scope("around"):
            plain, _, _ = strategy.call_for_each_tower(fn)
        same(names(plain), ["around/k:0", "around/tower_1/k:0", "around/tower_2/k:0"])
        # The first call has opened the scope layer in each tower.
        same(v.name, "layer_1/v:0")
        with tf.variable_scope(None, "layer"):
            same(variable(tf, "v").name, "layer_2/v:0")


def test_variables_of_towers(tf, strategy):
    def fn():
        return [variable(tf, "v")] + [tf.Variable(float(i), name="z") for i in range(3)]

    def only_later():
        if number(tf) == 1:
            variable(tf, "alone")

    made = strategy.call_for_each_tower(fn)
    names = ["v:0", "z:0", "z_1:0", "z_2:0"]
    same([one.name for one in made], names)
    for one in made:
        same(type(one).__name__, "MirroredVariable")
        same(one.devices, strategy.worker_devices)
    same([one.name for one in tf.global_variables()], names)
    same([a is b for a, b in zip(tf.global_variables(), made, strict=True)], [True] * 4)
    words = ["in tower 1 of 2", "does not exist"]
    refused(ValueError, words, strategy.call_for_each_tower, only_later)
    with eager_mode(tf):
        made = strategy.call_for_each_tower(fn)
        same([one.name for one in made], ["v:0", "z:0", "z:0", "z:0"])
        same([float(one.numpy()) for one in made], [0.0, 0.0, 1.0, 2.0])


def test_structures(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        mirrored, copies = variable(tf), strategy.broadcast(tf.constant(1))

        def merged(fn):
            return strategy.call_for_each_tower(fn)

        found = merged(lambda: Pair(number(tf), [(), {"a": 7}]))
        same((type(found).__name__, strategy.unwrap(found.a)), ("Pair", [0, 1]))
        same((found.b, type(found.b[0])), ([(), {"a": 7}], tuple))
        for whole in (mirrored, copies):
            found = merged(lambda whole=whole: whole)
            assert found is whole, f"{found!r} is not {whole!r}"
            found = strategy.call_for_each_tower(lambda part: part, whole)
            assert found is whole, f"{found!r} is not {whole!r}"
        # Equal, but not one object in both towers.
        found = merged(lambda: float("1.5"))
        same(strategy.unwrap(found), [1.5, 1.5])
        found = merged(lambda: {"ba"[number(tf)]: 1, "ab"[number(tf)]: 2})
        same((list(found), strategy.unwrap(found["a"])), (["b", "a"], [2, 1]))
        # Not all parts of a whole, or of a whole with others.
        devices = strategy.worker_devices
        for where in (devices[:1], [*devices, "/cpu:0"]):
            whole = strategy.broadcast(tf.constant(1), where)
            parts = strategy.unwrap(whole)
            parts.append(tf.constant(2))
            found = merged(lambda parts=parts: parts[number(tf)])
            same(type(found).__name__, "PerDevice")
            pairs = zip(strategy.unwrap(found), parts, strict=False)
            same([a is b for a, b in pairs], [True] * 2)
        swapped = list(reversed(strategy.unwrap(copies)))
        found = merged(lambda: swapped[number(tf)])
        same(type(found).__name__, "PerDevice")
        same([one.name for one in strategy.unwrap(found)], [s.name for s in swapped])
        index = strategy.worker_device_index
        found = strategy.call_for_each_tower(lambda d: d["a"][1], {"a": (0, index)})
        same(strategy.unwrap(found), [0, 1])
        for told, fn in (
            ("[] and [1]", lambda: [1] * number(tf)),
            ("[1] and (1,)", lambda: (1,) if number(tf) else [1]),
            ("{'a': 1} and {'b': 1}", lambda: {"ab"[number(tf)]: 1}),
        ):
            words = ["tower 0 and tower 1 returned different structures", told]
            refused(ValueError, words, strategy.call_for_each_tower, fn)
    with strategy_in_scope(tf, cores=1) as strategy:
        found = strategy.call_for_each_tower(lambda: (number(tf), tf.constant(1)))
        same((found[0], isinstance(found[1], tf.Tensor)), (0, True))


def test_where_it_is_called(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        call = strategy.call_for_each_tower

        def again():
            return tower_context(tf).merge_call(lambda strategy: call(number, tf))

        same(strategy.unwrap(call(again)), [0, 1])
        refused(TypeError, ["fn must be callable, got int 5"], call, 5)
        words = ["in tower 0 of 2", "TPUStrategy.call_for_each_tower", "within tower 0"]
        refused(RuntimeError, words, call, lambda: call(number, tf))

        def replicated(replicas):
            tf.tpu.replicate(lambda: call(number, tf), [[]] * replicas)

        for replicas in (1, 3):
            words = ["replicas; there must be 2, one for each tower"]
            refused(RuntimeError, words, replicated, replicas)
    words = ["call_for_each_tower must be used inside of"]
    refused(RuntimeError, words, call, number, tf)


def test_default_strategy(tf):
    package = tf.contrib.distribute
    context = tf.get_tower_context()
    same((context.tower_id, context.num_towers, context.device), (0, 1, ""))
    same(context.is_single_tower, True)
    same(package.in_cross_tower_context(), False)
    same(package.has_distribution_strategy(), False)
    default = package.get_distribution_strategy()
    assert context.distribution_strategy is default, repr(default)
    merged = context.merge_call(
        lambda strategy, x, k: (strategy is default, x + k), 1, k=3
    )
    same(merged, (True, 4))
    with default.scope():
        same(package.in_cross_tower_context(), True)
        same(package.has_distribution_strategy(), False)
        v = variable(tf, "v")
        same(type(v) is tf.Variable, True)
        same(default.call_for_each_tower(lambda x: x + 1, 2), 3)
        with default.colocate_vars_with(v):
            same(type(variable(tf, "w")) is tf.Variable, True)
    same(default.call_for_each_tower(lambda x: x + 1, 2), 3)
    same((default.initialize(), default.finalize()), ([], []))
    same(default.configure(), None)
    same((default.is_default, default.worker_devices), (True, [""]))


def test_contexts(tf):
    package = tf.contrib.distribute
    seen = []

    def fn():
        context = tower_context(tf)
        seen.append(
            (
                context.num_towers,
                context.is_single_tower,
                context.device,
                package.in_cross_tower_context(),
                package.get_cross_tower_context(),
                package.has_distribution_strategy(),
                package.get_distribution_strategy() is strategy,
                context.strategy is strategy,
                context.replica_id_in_sync_group,
                context.num_replicas_in_sync,
                repr(context),
            )
        )

    with strategy_in_scope(tf, cores=2) as strategy:
        same((strategy.is_default, package.has_distribution_strategy()), (False, True))
        same(package.in_cross_tower_context(), True)
        strategy.call_for_each_tower(fn)
        words = ["TPUStrategy.scope", "within tower 0"]

        def entering():
            with strategy.scope():
                pass

        refused(RuntimeError, words, strategy.call_for_each_tower, entering)
    devices = strategy.worker_devices
    for k in (0, 1):
        expected = (2, False, devices[k], False, None, True, True, True, k, 2)
        same(seen[k], (*expected, f"<TowerContext tower {k} of 2>"))

    def failing():
        with strategy.scope():
            raise KeyError("k")

    expect_raises(KeyError, failing)
    same(package.has_distribution_strategy(), False)
    same(type(variable(tf, "after")) is tf.Variable, True)


def test_one_device(tf, session):
    kind = tf.VariableAggregation.SUM
    parent = tf.contrib.distribute.OneDeviceStrategy
    strategy = parent("/device:CPU:0")
    same((strategy.worker_devices, strategy.is_single_tower), (["/device:CPU:0"], True))
    same((strategy.num_towers, strategy.towers.system), (1, None))
    with strategy.scope():
        v = variable(tf, value=1.0)
        value = strategy.call_for_each_tower(lambda: v + tf.constant(1.0))
        same((value.device, strategy.worker_device_index), ("/device:CPU:0", 0))
        total = strategy.reduce(kind, value, v)
        grown = strategy.update(v, lambda v, d: v.assign_add(d), total)
    initialise_variables(tf, session)
    same(session.run(grown), 3.0)
    for unfit in (None, 5, ["/device:CPU:0"]):
        expect_raises(TypeError, parent, unfit)
