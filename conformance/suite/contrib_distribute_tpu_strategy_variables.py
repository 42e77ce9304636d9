"""Checks of TPUStrategy: variables, their updates and their devices."""

import contextlib

import numpy as np

from ..clause import beyond_the_words, expect_raises, expect_refused, same
from ..probes import initialise_variables
from .contrib_distribute_tpu_strategy import many_towers
from .tpu_strategy_page import (
    evaluated,
    local_strategy,
    local_variable,
    on_device,
    page,
    per_tower,
    running_strategy,
    size,
    strategy_in_scope,
    tensor_type,
    tower_context,
    variable,
)


def devices_of(strategy, value):
    return [part.device for part in strategy.unwrap(value)]


@page.clause(".colocate_vars_with/behaviour/controls-variable-devices")
def colocate_controls_devices(tf):
    with on_device(tf, "/device:CPU:0"):
        plain = variable(tf, "plain")
    with strategy_in_scope(tf, cores=4) as strategy:
        devices = list(strategy.parameter_devices)[:2]
        with strategy.colocate_vars_with(devices):
            first = variable(tf, "first")
        same(devices_of(strategy, first), devices)
        with strategy.colocate_vars_with(first):
            second = variable(tf, "second")
        same(devices_of(strategy, second), devices)
        with strategy.colocate_vars_with(devices[-1:]):
            with strategy.colocate_vars_with(first):
                inner = variable(tf, "inner")
            outer = variable(tf, "outer")
        same(devices_of(strategy, inner), devices)
        same(devices_of(strategy, outer), devices[-1:])
        with contextlib.suppress(KeyError), strategy.colocate_vars_with(first):
            raise KeyError
        afterwards = variable(tf, "afterwards")
        same(devices_of(strategy, afterwards), list(strategy.parameter_devices))
        with strategy.colocate_vars_with(plain):
            beside = variable(tf, "beside")
        same(devices_of(strategy, beside), [plain.device], call="a plain variable")


@page.clause(".colocate_vars_with/behaviour/only-inside-scope")
def colocate_only_in_scope(tf):
    def colocate(strategy, where):
        with strategy.colocate_vars_with(where):
            pass

    with size(tf, 2):
        strategy, other = local_strategy(tf), local_strategy(tf)
    with strategy.scope():
        mirrored = variable(tf)
        colocate(strategy, mirrored)
        expect_refused(RuntimeError, colocate, other, mirrored)
    expect_refused(RuntimeError, colocate, strategy, mirrored)
    expect_refused(RuntimeError, colocate, strategy, list(strategy.parameter_devices))


@page.clause(".colocate_vars_with/behaviour/for-variables-only")
def colocate_for_variables(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        first = variable(tf, "first")
        with strategy.colocate_vars_with(first):
            made = [variable(tf, name) for name in ("second", "third")]
            operation = tf.constant(1.0)
        for one in made:
            same(devices_of(strategy, one), devices_of(strategy, first))
        same(operation.device, tf.constant(1.0).device)


@page.clause(".colocate_vars_with/returns/context-manager")
def colocate_context_manager(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        block = strategy.colocate_vars_with(variable(tf))
        assert callable(getattr(block, "__enter__", None)), repr(block)
        assert callable(getattr(block, "__exit__", None)), repr(block)


@page.clause(".colocate_vars_with/example/with-update")
def colocate_example(tf):
    with running_strategy(tf, cores=2) as (session, distribution_strategy):
        var1 = v1 = variable(tf, "var1", 1.0)
        with distribution_strategy.colocate_vars_with(v1):
            var2 = v2 = variable(tf, "var2", 10.0)
            var3 = v3 = variable(tf, "var3", 100.0)

        def fn(v1, v2, v3):
            return v1.assign_add(v2 + v3)

        update = distribution_strategy.update(v1, fn, v2, v3)
        initialise_variables(tf, session)
        session.run(distribution_strategy.unwrap(update))
        same(evaluated(session, distribution_strategy, var1), [111.0] * 2)
        places = devices_of(distribution_strategy, var1)
        same(devices_of(distribution_strategy, var2), places)
        same(devices_of(distribution_strategy, var3), places)


@page.clause(".update/behaviour/mirrored-variable")
def update_mirrored(tf):
    seen = []

    def fn(v):
        seen.append((v, tf.constant(0.0).device))
        return v.assign_add(1.0)

    with running_strategy(tf, cores=3) as (session, strategy):
        mirrored = variable(tf, value=4.0)
        update = strategy.update(mirrored, fn)
        parts = strategy.unwrap(mirrored)
        assert [v for v, _ in seen] == parts, f"{seen!r} instead of {parts!r}"
        same([device for _, device in seen], [part.device for part in parts])
        initialise_variables(tf, session)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, mirrored), [5.0] * 3)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, mirrored), [6.0] * 3)
        if hasattr(tf, "random_normal_initializer"):
            normal = tf.random_normal_initializer
            drawn = tf.get_variable("drawn", [2], initializer=normal)
            initialise_variables(tf, session)
            first, *others = evaluated(session, strategy, drawn)
            same(others, [first] * 2, call="copies of a variable that starts at random")
    strategy = many_towers(tf)
    del seen[:]
    with strategy.scope():
        strategy.update(variable(tf, "on_three_hosts"), fn)
    devices = [device for _, device in seen]
    same(devices, list(strategy.worker_devices), call="updates on three hosts")


@page.clause(".update/behaviour/other-variable-colocated")
def update_other_variable(tf):
    with on_device(tf, "/device:CPU:0"):
        plain = variable(tf, "plain")
    seen, calls = [], []

    def fn(v, *arguments, **named):
        seen.append(v)
        calls.append((arguments, named))
        return v * 1.0

    with strategy_in_scope(tf, cores=4) as strategy:
        strategy.update(plain, fn, 1.0, None, k="text", none=None)
        same(calls, [((1.0, None), {"k": "text", "none": None})])
        del seen[:]
        result = strategy.update(plain, fn)
        same(len(seen), 1, call="calls of fn")
        assert seen[0] is plain, repr(seen[0])
        assert isinstance(result, tensor_type(tf)), repr(result)
        same(result.device, plain.device)


@page.clause(".update/behaviour/mirrored-arguments-unwrapped")
def update_mirrored_arguments(tf):
    seen = []

    def fn(v, m, k=None):
        seen.append((m.device, k.device, v.device))
        return v.assign(m + k)

    with on_device(tf, "/replica:0/task:0/device:TPU:2"):
        plain = variable(tf, "plain")
    with running_strategy(tf, cores=3) as (session, strategy):
        mirrored = variable(tf)
        two = strategy.broadcast(tf.constant(2.0))
        update = strategy.update(mirrored, fn, two, k=two)
        same(seen, [(device,) * 3 for device in strategy.worker_devices])
        initialise_variables(tf, session)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, mirrored), [4.0] * 3)
        update = strategy.update(
            mirrored,
            lambda v, a, k: fn(v, a[0], k["m"][0]),
            [two],
            k={"m": (mirrored,)},
        )
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, mirrored), [6.0] * 3, call="within nests")
        del seen[:]
        with strategy.colocate_vars_with(list(strategy.parameter_devices)[1:2]):
            single = variable(tf, "single")
        strategy.update(single, fn, two, k=two)
        same(seen, [(strategy.worker_devices[1],) * 3], call="on one device")
        if hasattr(tf, "device"):
            del seen[:]
            strategy.update(plain, fn, two, k=two)
            same(seen, [(strategy.worker_devices[2],) * 3], call="a plain variable")


@page.clause(".update/raises/per-device-argument")
def update_per_device_argument(tf):
    def fn(v, *arguments, **named):
        return v.assign_add(1.0)

    with strategy_in_scope(tf, cores=4) as strategy:
        mirrored = variable(tf)
        value = per_tower(tf, strategy, [1.0, 2.0, 3.0, 4.0])
        expect_refused(TypeError, strategy.update, mirrored, fn, value)
        expect_refused(TypeError, strategy.update, mirrored, fn, 1.0, k=value)
        expect_refused(TypeError, strategy.update, mirrored, fn, 1.0, value, k=2.0)
        expect_refused(TypeError, strategy.update, mirrored, fn, [1.0, value])
        expect_refused(TypeError, strategy.update, mirrored, fn, k={"a": (value,)})


@page.clause(".update/args:var/variable")
def update_variable(tf):
    plain = variable(tf, "plain")
    with strategy_in_scope(tf, cores=2) as strategy:
        strategy.update(variable(tf, "mirrored"), lambda v: v.assign_add(1.0))
        strategy.update(plain, lambda v: v.assign_add(1.0))
        beyond_the_words()
        for unfit in (tf.constant(1.0), 3, "mirrored"):
            expect_raises(TypeError, strategy.update, unfit, lambda v: v)


@page.clause(".update/args:fn/variable-first")
def update_variable_first(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        mirrored = variable(tf)
        update = strategy.update(
            mirrored, lambda v, a, c, b=0.0: v.assign(a - c + b), 5.0, 4.0, b=2.0
        )
        initialise_variables(tf, session)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, mirrored), [3.0, 3.0])


@page.clause(".update/returns/merged")
def update_returns_merged(tf):
    with running_strategy(tf, cores=3) as (session, strategy):
        mirrored = variable(tf, value=2.0)
        result = strategy.update(
            mirrored, lambda v: {"a": v * 3.0, "b": (v.assign(7.0), None)}
        )
        devices = [part.device for part in strategy.unwrap(result["a"])]
        same(devices, list(strategy.worker_devices))
        initialise_variables(tf, session)
        same(evaluated(session, strategy, result["a"]), [6.0] * 3)
        same(evaluated(session, strategy, result["b"][0]), [7.0] * 3)
        same((type(result["b"]), result["b"][1]), (tuple, None))


@page.clause(".non_slot_devices/returns/devices")
def non_slot_devices_returns(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        devices = strategy.non_slot_devices([variable(tf, "a"), variable(tf, "b")])
        same(list(devices), list(strategy.parameter_devices))
    strategy = many_towers(tf)
    with strategy.scope():
        devices = strategy.non_slot_devices([variable(tf, "on_three_hosts")])
    same(list(devices), list(strategy.parameter_devices))


@page.clause(".non_slot_devices/example/create-under-colocate")
def non_slot_devices_create(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        v = variable(tf, "v")
        with strategy.colocate_vars_with(strategy.non_slot_devices([v])):
            b = variable(tf, "b")
        same(devices_of(strategy, b), list(strategy.non_slot_devices([v])))


@page.clause(".non_slot_devices/example/updated-by-update-non-slot")
def non_slot_devices_update(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        devices = strategy.non_slot_devices([variable(tf, "v")])
        with strategy.colocate_vars_with(devices):
            b = variable(tf, "b", 1.0)
        update = strategy.update_non_slot(devices, lambda: b.assign_add(1.0))
        initialise_variables(tf, session)
        session.run(strategy.unwrap(update))
        same(evaluated(session, strategy, b), [2.0] * 2)


@page.clause(".non_slot_devices/args:var_list/optimised-variables")
def non_slot_devices_var_list(tf):
    with strategy_in_scope(tf, cores=2) as strategy:
        devices = list(strategy.non_slot_devices([variable(tf)]))
        same(list(strategy.non_slot_devices([])), devices)
        same(list(strategy.non_slot_devices(None)), devices)


@page.clause(".update_non_slot/behaviour/runs-on-devices")
def update_non_slot_runs(tf):
    seen = []

    def fn(*positional, **named):
        seen.append((positional, named, tf.constant(1).device))

    with strategy_in_scope(tf, cores=4) as strategy:
        devices = list(strategy.non_slot_devices([]))
        strategy.update_non_slot(devices, fn, 1, k=2)
        same([device for _, _, device in seen], devices)
        for positional, named, _ in seen:
            same((positional, named), ((1,), {"k": 2}))
        for chosen in (devices[:1], devices[-2:]):
            del seen[:]
            strategy.update_non_slot(chosen, fn)
            same([device for _, _, device in seen], chosen)


@page.clause(".update_non_slot/args:colocate_with/from-non-slot-devices")
def update_non_slot_colocate_with(tf):
    calls = []
    with strategy_in_scope(tf, cores=2) as strategy:
        devices = strategy.non_slot_devices([variable(tf)])
        strategy.update_non_slot(devices, lambda: calls.append(1))
        same(len(calls), len(devices))


@page.clause(".update_non_slot/returns/value-of-fn")
def update_non_slot_returns(tf):
    with running_strategy(tf, cores=2) as (session, strategy):
        devices = strategy.non_slot_devices([])
        result = strategy.update_non_slot(devices, lambda x: tf.constant(x), 5.0)
        same(evaluated(session, strategy, result), [5.0] * 2)
        value = tf.constant(6.0)
        single = strategy.update_non_slot(list(devices)[:1], lambda: value)
        assert single is value, f"{single!r} is not {value!r}"
        nest = strategy.update_non_slot(
            devices, lambda k: [{"a": tf.constant(k)}], k=7.0
        )
        same(evaluated(session, strategy, nest[0]["a"]), [7.0] * 2)


@page.clause(".read_var/behaviour/aggregates-tower-local")
def read_var_aggregates(tf):
    kinds = tf.VariableAggregation
    with running_strategy(tf, cores=4) as (session, strategy):
        expected_values = {
            kinds.SUM: 10.0,
            kinds.MEAN: 2.5,
            kinds.ONLY_FIRST_TOWER: 1.0,
        }
        for kind, expected in expected_values.items():
            local = local_variable(tf, "local_" + str(expected).replace(".", "_"), kind)
            updates = strategy.call_for_each_tower(
                lambda local: local.assign_add(tower_context(tf).tower_id + 1.0), local
            )
            total = strategy.read_var(local)
            initialise_variables(tf, session)
            session.run(strategy.unwrap(updates))
            same(session.run(total), expected)
        rows = local_variable(tf, "rows", kinds.SUM, np.array([[1, 2]], np.int32))
        initialise_variables(tf, session)
        same(session.run(strategy.read_var(rows)), [[4, 8]])
        plain = variable(tf, "mirrored", 7.0)
        initialise_variables(tf, session)
        same(session.run(strategy.read_var(plain)), 7.0)
