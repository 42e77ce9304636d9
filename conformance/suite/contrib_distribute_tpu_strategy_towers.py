"""Checks of TPUStrategy: scope, calls for each tower, and the values they give."""

import contextlib
import functools
import gc
import threading
import time

from ..clause import beyond_the_words, expect_raises, same
from ..probes import eager_mode, initialise_variables
from .contrib_distribute_tpu_strategy import ancestors, many_towers
from .tpu_strategy_page import (
    eager_strategy,
    evaluated,
    has_eager_mode,
    local_strategy,
    local_variable,
    numbers,
    page,
    per_tower,
    running_strategy,
    size,
    strategy_in_scope,
    tensor_type,
    tower_context,
    variable,
)


@page.clause(".scope/returns/context-manager")
def scope_context_manager(tf):
    with size(tf, 2):
        scope = local_strategy(tf).scope()
    assert callable(getattr(scope, "__enter__", None)), repr(scope)
    assert callable(getattr(scope, "__exit__", None)), repr(scope)


@page.clause(".scope/behaviour/selects-strategy")
def scope_selects_strategy(tf):
    current = tf.contrib.distribute.get_distribution_strategy
    with size(tf, 2):
        strategy, other = local_strategy(tf), local_strategy(tf)
    assert current() is not strategy, "it is the current one before"
    with strategy.scope():
        assert current() is strategy, repr(current())
        with strategy.scope():
            assert current() is strategy, repr(current())
        expect_raises(RuntimeError, lambda: other.scope().__enter__())
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(current()))
        thread.start()
        thread.join()
        assert elsewhere[0] is not strategy, "it is the current one in another thread"
    assert current() is not strategy, "it is the current one afterwards"
    with contextlib.suppress(KeyError), strategy.scope():
        raise KeyError
    assert current() is not strategy, "it is the current one after an exception"


@page.clause(".scope/behaviour/variable-creator")
def scope_variable_creator(tf):
    elsewhere = []
    with strategy_in_scope(tf, cores=4) as strategy:
        same(len(strategy.unwrap(variable(tf, "mirrored"))), 4)
        if hasattr(tf, "get_default_graph"):
            graph = tf.get_default_graph()

            def in_another_thread():
                with graph.as_default():
                    elsewhere.append(variable(tf, "elsewhere"))

            thread = threading.Thread(target=in_another_thread)
            thread.start()
            thread.join()
            same(len(strategy.unwrap(elsewhere[0])), 1)
        if hasattr(tf, "Variable"):
            same(len(strategy.unwrap(tf.Variable(1.0))), 4, call="parts of a Variable")
    same(len(strategy.unwrap(variable(tf, "outside"))), 1)


@page.clause(".scope/behaviour/cross-tower-context")
def scope_cross_tower_context(tf):
    assert tower_context(tf) is not None, "no context outside of the scope"
    with strategy_in_scope(tf, cores=2) as strategy:
        same(tower_context(tf), None)
        if hasattr(tf.contrib.distribute, "get_cross_tower_context"):
            current = tf.contrib.distribute.get_cross_tower_context()
            assert current is strategy, repr(current)
    assert tower_context(tf) is not None, "no context after the scope"


@page.clause(".call_for_each_tower/behaviour/once-per-tower")
def call_once_per_tower(tf):
    for cores in (1, 4):
        with running_strategy(tf, cores=cores) as (session, strategy):
            calls = []

            def fn(calls=calls):
                calls.append(tower_context(tf).tower_id)
                return tf.constant(calls[-1])

            results = strategy.call_for_each_tower(fn)
            same(sorted(calls), list(range(cores)))
            same(evaluated(session, strategy, results), list(range(cores)))


@page.clause(".call_for_each_tower/behaviour/tower-context")
def call_tower_context(tf):
    contexts = []
    with strategy_in_scope(tf, cores=4) as strategy:
        strategy.call_for_each_tower(lambda: contexts.append(tower_context(tf)))
        assert all(context is not None for context in contexts), repr(contexts)
        same(len({id(context) for context in contexts}), 4)
        beyond_the_words()
        same(tower_context(tf), None)


@page.clause(".call_for_each_tower/behaviour/tower-id")
def call_tower_id(tf):
    numbers = []
    with strategy_in_scope(tf, cores=4) as strategy:
        strategy.call_for_each_tower(lambda: numbers.append(tower_context(tf).tower_id))
    assert all(isinstance(number, int) for number in numbers), repr(numbers)
    same(sorted(numbers), [0, 1, 2, 3])
    del numbers[:]
    strategy = many_towers(tf, [4, 4, 4])
    with strategy.scope():
        strategy.call_for_each_tower(lambda: numbers.append(tower_context(tf).tower_id))
    same(sorted(numbers), list(range(12)), call="towers on three hosts")


@page.clause(".call_for_each_tower/behaviour/merge-call-enters-cross-tower-context")
def merge_call_context(tf):
    seen = []

    def merge(strategy, value, tens, text, k=None):
        merged = [strategy.unwrap(one) for one in (value, tens, k)]
        seen.append((strategy, tower_context(tf), merged, text))
        kind = tf.VariableAggregation.SUM
        totals = strategy.batch_reduce(kind, [(one, one) for one in (value, tens, k)])
        return totals[0], tuple(totals[1:])

    def fn(strategy):
        context = tower_context(tf)
        one = context.tower_id + 1.0
        parts = [tf.constant(one * times) for times in (1, 10, 100)]
        return context.merge_call(merge, parts[0], parts[1], "same", k=parts[2])

    with running_strategy(tf, cores=4) as (session, strategy):
        ones, (tens, hundreds) = strategy.call_for_each_tower(fn, strategy)
        for total, expected in ((ones, 10.0), (tens, 100.0), (hundreds, 1000.0)):
            same(evaluated(session, strategy, total), [expected] * 4)
        same(len(seen), 1)
        assert seen[0][0] is strategy, repr(seen[0][0])
        same((seen[0][1], seen[0][3]), (None, "same"))
        same([len(parts) for parts in seen[0][2]], [4, 4, 4], call="merged arguments")
    if hasattr(tf, "name_scope"):
        beyond_the_words()
        same(name_of_merged(tf), "inner/merged")


def name_of_merged(tf):
    """Return the name of what a merge function makes, called within a name scope."""
    made = []

    def fn():
        with tf.name_scope("inner"):
            tower_context(tf).merge_call(
                lambda strategy: made.append(tf.constant(1.0, name="merged"))
            )

    with strategy_in_scope(tf, cores=2) as strategy:
        strategy.call_for_each_tower(fn)
    return made[0].op.name


@page.clause(".call_for_each_tower/behaviour/merge-call-waits-for-all")
def merge_call_waits(tf):
    events = []

    def fn():
        context = tower_context(tf)
        events.append("before")
        context.merge_call(lambda strategy: events.append("merge"))
        events.append("after")

    with strategy_in_scope(tf, cores=4) as strategy:
        strategy.call_for_each_tower(fn)
    same(events, ["before"] * 4 + ["merge"] + ["after"] * 4)


@page.clause(".call_for_each_tower/behaviour/merge-results-unwrapped")
def merge_results_unwrapped(tf):
    plain = object()
    received = []

    def fn():
        context = tower_context(tf)
        value = tf.constant(10.0 * context.tower_id)
        # float32, whole numbers: exact
        own = context.merge_call(lambda strategy, merged: merged, value)
        received.append(context.merge_call(lambda strategy: plain))
        nest = context.merge_call(lambda strategy, one: (one, [one, plain]), value)
        same((type(nest), type(nest[1])), (tuple, list))
        assert nest[1][1] is plain, repr(nest[1][1])
        return own + (nest[0] - nest[1][0]) + 1.0

    with running_strategy(tf, cores=4) as (session, strategy):
        results = strategy.call_for_each_tower(fn)
        same(evaluated(session, strategy, results), [1.0, 11.0, 21.0, 31.0])
    assert all(one is plain for one in received) and len(received) == 4, received
    if has_eager_mode(tf):
        with eager_strategy(tf, cores=4) as strategy:
            totals = numbers(strategy, strategy.call_for_each_tower(fn))
        same(totals, [1.0, 11.0, 21.0, 31.0], call="in eager mode")


@page.clause(".call_for_each_tower/behaviour/several-merge-calls")
def several_merge_calls(tf):
    order = []

    def total(strategy, value):
        order.append("total")
        return strategy.reduce(tf.VariableAggregation.SUM, value, value)

    def mean(strategy, value):
        order.append("mean")
        return strategy.reduce(tf.VariableAggregation.MEAN, value, value)

    def fn():
        context = tower_context(tf)
        summed = context.merge_call(total, tf.constant(context.tower_id + 1.0))
        return context.merge_call(mean, summed + context.tower_id)

    def uneven(skipped):
        context = tower_context(tf)
        if context.tower_id != skipped:
            context.merge_call(lambda strategy: None)

    with running_strategy(tf, cores=4) as (session, strategy):
        results = strategy.call_for_each_tower(fn)
        # The total is 10 in all towers, the mean of 10, 11, 12 and 13 is exact.
        same(evaluated(session, strategy, results), [11.5] * 4)
        same(order, ["total", "mean"])
        for skipped in (0, 1, 3):
            expect_raises(RuntimeError, strategy.call_for_each_tower, uneven, skipped)


@page.clause(".call_for_each_tower/example/merge-call-sum")
def merge_call_example(tf):
    # Run once, in cross-tower context.
    def merge_fn(distribution, three_plus_tower_id):
        return sum(distribution.unwrap(three_plus_tower_id))

    # Run in each tower.
    def fn(three):
        tower_ctx = tf.get_tower_context()
        v = three + tower_ctx.tower_id
        return tower_ctx.merge_call(merge_fn, v) + v

    with running_strategy(tf, cores=4) as (session, distribution):
        ...
        merged_results = distribution.call_for_each_tower(fn, 3)
        listed = distribution.unwrap(merged_results)
        assert isinstance(listed, list), repr(listed)
        same(
            session.run([tf.convert_to_tensor(one) for one in listed]), [21, 22, 23, 24]
        )


class Adder:
    """Has a method that can be run in towers."""

    def __init__(self, amount):
        self.amount = amount

    def add(self, value):
        return value + self.amount


@page.clause(".call_for_each_tower/args:fn/function")
def call_function(tf):
    functions = [
        lambda x: x + 1.0,
        Adder(1.0).add,
        functools.partial(lambda one, x: x + one, 1.0),
    ]
    with running_strategy(tf, cores=2) as (session, strategy):
        for fn in functions:
            results = strategy.call_for_each_tower(fn, tf.constant(2.0))
            same(evaluated(session, strategy, results), [3.0, 3.0])
        expect_raises(TypeError, strategy.call_for_each_tower, 5)


@page.clause(".call_for_each_tower/args:args/positional")
def call_positional(tf):
    seen = []

    def fn(a, b, own):
        seen.append((a, b))
        return own * 10.0

    with running_strategy(tf, cores=3) as (session, strategy):
        values = per_tower(tf, strategy, [1.0, 2.0, 3.0])
        results = strategy.call_for_each_tower(fn, 3, "b", values)
        same(seen, [(3, "b")] * 3)
        same(evaluated(session, strategy, results), [10.0, 20.0, 30.0])
        results = strategy.call_for_each_tower(fn, None, [None, {"k": None}], values)
        same(seen[3:], [(None, [None, {"k": None}])] * 3)
        results = strategy.call_for_each_tower(
            lambda nest: nest["k"][0] - nest["none"][0],
            {"k": (values,), "none": [results]},
        )
        same(evaluated(session, strategy, results), [-9.0, -18.0, -27.0])
        mirrored, copies = variable(tf), strategy.broadcast(tf.constant(4.0))
        results = strategy.call_for_each_tower(
            lambda *own, **named: [one.device for one in own + (named["k"],)],
            mirrored,
            copies,
            k=mirrored,
        )
        for result in results:
            same(strategy.unwrap(result), list(strategy.worker_devices))


@page.clause(".call_for_each_tower/args:kwargs/keyword")
def call_keyword(tf):
    seen = []

    def fn(*positional, **named):
        seen.append((positional, sorted(named), named["a"]))
        return named["own"] + 1.0

    with running_strategy(tf, cores=2) as (session, strategy):
        values = per_tower(tf, strategy, [1.0, 2.0])
        results = strategy.call_for_each_tower(fn, a=1, own=values)
        same(seen, [((), ["a", "own"], 1)] * 2)
        same(evaluated(session, strategy, results), [2.0, 3.0])
        del seen[:]
        strategy.call_for_each_tower(fn, 7, None, a=None, own=values)
        same(seen, [((7, None), ["a", "own"], None)] * 2)


@page.clause(".call_for_each_tower/args:kwargs/run-concurrently")
def call_run_concurrently(tf):
    running, overlaps, seen = [], [], []

    def fn(**named):
        seen.append(sorted(named))
        running.append(1)
        overlaps.append(len(running))
        time.sleep(0.002)  # leaves the others time to overlap
        value = tf.constant(1.0 + tower_context(tf).tower_id)
        running.pop()
        return value

    default, yes, no = {}, {"run_concurrently": True}, {"run_concurrently": False}
    with running_strategy(tf, cores=4) as (session, strategy):
        for settings in (default, yes, no):
            results = strategy.call_for_each_tower(fn, **settings)
            same(evaluated(session, strategy, results), [1.0, 2.0, 3.0, 4.0])
        same(overlaps, [1] * 12, call="calls at the same time in graph mode")
        del overlaps[:]
        if has_eager_mode(tf):
            with eager_mode(tf):
                for settings in (default, yes, no):
                    results = strategy.call_for_each_tower(fn, **settings)
                    same(numbers(strategy, results), [1.0, 2.0, 3.0, 4.0])
            same(overlaps[-4:], [1] * 4, call="calls at the same time in eager mode")
    beyond_the_words()
    assert not any(seen), seen


@page.clause(".call_for_each_tower/returns/merged-value")
def call_returns_merged(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        ids = strategy.call_for_each_tower(lambda: tower_context(tf).tower_id)
        same(strategy.unwrap(ids), [0, 1, 2, 3])
        halves = strategy.call_for_each_tower(
            lambda: "low" if tower_context(tf).tower_id < 2 else "high"
        )
        same(strategy.unwrap(halves), ["low", "low", "high", "high"])

        def nest():
            number = tf.constant(tower_context(tf).tower_id)
            return number, {"k": number * 2, "shared": None}

        first, second = strategy.call_for_each_tower(nest)
        same(evaluated(session, strategy, first), [0, 1, 2, 3])
        same(evaluated(session, strategy, second["k"]), [0, 2, 4, 6])
        same(second["shared"], None)
        (single,) = strategy.call_for_each_tower(lambda: [nest()[0]])
        same(evaluated(session, strategy, single), [0, 1, 2, 3])

        beyond_the_words()

        def differing(number):
            return [1.0, 2.0] if tower_context(tf).tower_id == number else [1.0]

        for number in (0, 1, 3):
            expect_raises(ValueError, strategy.call_for_each_tower, differing, number)


@page.clause(".unwrap/returns/list-of-per-device-values")
def unwrap_lists(tf):
    with running_strategy(tf, cores=4) as (session, strategy):
        if hasattr(tf, "VariableSynchronization"):
            local = local_variable(tf, "local", tf.VariableAggregation.SUM)
            components = strategy.unwrap(local)
            same(
                (type(components), len(set(components))),
                (list, 4),
                call="tower-local variable",
            )
        parts = strategy.unwrap(per_tower(tf, strategy, [5.0, 6.0, 7.0, 8.0]))
        assert isinstance(parts, list), repr(parts)
        same([isinstance(part, tensor_type(tf)) for part in parts], [True] * 4)
        same(session.run(parts), [5.0, 6.0, 7.0, 8.0])
    strategy = many_towers(tf, [4, 4, 4])
    with strategy.scope():
        parts = strategy.unwrap(strategy.call_for_each_tower(lambda: tf.constant(1.0)))
    same(len(set(parts)), 12, call="parts on three hosts")


@page.clause(".unwrap/args:value/tower-result-or-variable")
def unwrap_takes(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        same(len(strategy.unwrap(per_tower(tf, strategy, [1, 2, 3, 4]))), 4)
        parts = strategy.unwrap(variable(tf))
        same(len(parts), 4)
        for part in parts:
            assert callable(getattr(part, "assign_add", None)), repr(part)


@page.clause(".unwrap/returns/single-value-in-list")
def unwrap_single(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        for value in (tf.constant(1), 5, "text", None, (1, 2)):
            parts = strategy.unwrap(value)
            assert isinstance(parts, list) and len(parts) == 1, repr(parts)
            assert parts[0] is value, f"{parts[0]!r} is not {value!r}"


@page.clause(".value_container/returns/container")
def value_container_of_part(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        wholes = [variable(tf), per_tower(tf, strategy, [1, 2, 3, 4])]
        wholes.append(strategy.broadcast(tf.constant(1.0)))
        if hasattr(tf, "VariableSynchronization"):
            wholes.append(local_variable(tf, "local", tf.VariableAggregation.SUM))
        for whole in wholes:
            for part in strategy.unwrap(whole):
                container = strategy.value_container(part)
                assert container is whole, f"{container!r} is not {whole!r}"


@page.clause(".value_container/args:value/tower-result-or-variable")
def value_container_of_whole(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        for whole in (variable(tf), per_tower(tf, strategy, [1, 2, 3, 4])):
            container = strategy.value_container(whole)
            assert container is whole, f"{container!r} is not {whole!r}"


@page.clause(".value_container/returns/itself-without-container")
def value_container_itself(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        for value in (tf.constant(1), 5, None):
            container = strategy.value_container(value)
            assert container is value, f"{container!r} is not {value!r}"
        part = strategy.unwrap(per_tower(tf, strategy, [1, 2, 3, 4]))[-1]
        gc.collect()
        container = strategy.value_container(part)
        assert container is part, f"{container!r} is not {part!r}"


@page.clause(".value_container/behaviour/membership-invariant")
def value_container_membership(tf):
    with strategy_in_scope(tf, cores=4) as strategy:
        whole = per_tower(tf, strategy, [1, 2, 3, 4])
        values = strategy.unwrap(whole) + strategy.unwrap(variable(tf))
        for value in values + [tf.constant(1.0), 5, "text", [1, 2], None]:
            parts = strategy.unwrap(strategy.value_container(value))
            assert any(part is value for part in parts), f"{value!r} not in {parts!r}"


@page.clause(".group/behaviour/groups-unwrapped-values")
def group_unwrapped(tf):
    with running_strategy(tf, cores=3) as (session, strategy):
        counts = variable(tf)
        updates = strategy.update(counts, lambda v: v.assign_add(2.0))
        together = strategy.group(updates, name="together")
        same(together.name, "together")
        initialise_variables(tf, session)
        session.run(together)
        same(evaluated(session, strategy, counts), [2.0] * 3)
        alone = tf.group(tf.constant(1.0), name="alone")
        named = strategy.group(alone, name="named")
        same(named.name, "named", call="the name of a group of one")
        assert "alone" in {one.name for one in ancestors(named)}, repr(named)
        mapped = strategy.map([1.0, 2.0], tf.constant)
        for values in (per_tower(tf, strategy, [1.0, 2.0, 3.0]), mapped):
            before = {one.name for one in ancestors(strategy.group(values))}
            missing = {part.op.name for part in strategy.unwrap(values)} - before
            same(missing, set(), call="values that group does not wait for")
        assert strategy.group(alone) is alone, "a single operation is grouped"


@page.clause(".map/behaviour/applies-function-to-elements")
def map_applies(tf):
    kinds = tf.VariableAggregation
    with running_strategy(tf, cores=4) as (session, strategy):
        results = strategy.map([1.0, 2.0, 3.0], lambda x, k: tf.constant(x * k), 10.0)
        # float32, whole numbers: exact
        same(session.run(strategy.unwrap(results)), [10.0, 20.0, 30.0])
        device = strategy.worker_devices[0]
        total = strategy.reduce(kinds.SUM, results, device)
        same(session.run(strategy.unwrap(total)), [60.0])
        mean = strategy.reduce(kinds.MEAN, results, device)
        same(session.run(strategy.unwrap(mean)), [20.0])
        named = strategy.map([1.0, 2.0], lambda x, k: tf.constant(x + k), k=1.0)
        same(session.run(strategy.unwrap(named)), [2.0, 3.0])
        many = strategy.map(list(range(17)), tf.constant)
        same(session.run(strategy.unwrap(many)), list(range(17)))
        two = strategy.broadcast(tf.constant(2.0))
        doubled = strategy.map([1.0, 2.0], lambda x, m, k: x * m + k, two, k=two)
        same(session.run(strategy.unwrap(doubled)), [4.0, 6.0])
