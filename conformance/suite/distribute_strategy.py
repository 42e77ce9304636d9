"""Checks of the strategies of TensorFlow 2: what replicas run, and what becomes of it.

The replicas are those of a MirroredStrategy on processors, which every release has.
"""

import contextlib

import numpy as np

from ..clause import expect_raises, same
from ..probes import version_2
from .page import Page

page = Page("tf.distribute.Strategy")


@contextlib.contextmanager
def replicas(tf, count=3):
    """Yield the module in eager mode, and a strategy of so many replicas.

    They combine values without collective operations: TensorFlow 2.21 numbers those
    from 100 up in each strategy, but remembers a number's kind for the whole process,
    so that a sum in one strategy fails after rows were joined in another.
    """
    with version_2(tf) as module:
        devices = ["CPU:%d" % k for k in range(count)]
        one_device = module.distribute.ReductionToOneDevice()
        yield module, module.distribute.MirroredStrategy(devices, one_device)


def parts(strategy, value):
    """Return the arrays of all replicas."""
    return [np.array(part) for part in strategy.experimental_local_results(value)]


def numbered(tf, strategy, rows):
    """Return a value whose part of replica k is row k."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(rows[context.replica_id_in_sync_group])
    )


def number(tf):
    """Return the number of the replica, float32."""
    context = tf.distribute.get_replica_context()
    return tf.cast(context.replica_id_in_sync_group, tf.float32)


@page.clause(".run/behaviour/own-part")
def run_gives_each_its_part(tf):
    with replicas(tf) as (tf, strategy):
        rows = numbered(tf, strategy, [1.0, 2.0, 4.0])
        got = strategy.run(lambda x, y, by: (x + y) * by, (rows, 1.0), {"by": rows})
        same(parts(strategy, got), [2.0, 6.0, 20.0])


@page.clause(".run/behaviour/structure")
def run_keeps_the_structure(tf):
    with replicas(tf) as (tf, strategy):
        rows = numbered(tf, strategy, [1.0, 2.0, 4.0])
        got = strategy.run(lambda x: {"a": x, "b": [x * 2, None]}, (rows,))
        same(parts(strategy, got["a"]), [1.0, 2.0, 4.0])
        same(parts(strategy, got["b"][0]), [2.0, 4.0, 8.0])
        assert strategy.experimental_local_results(got["b"][1])[0] is None


@page.clause(".run/behaviour/function")
def run_of_a_function(tf):
    with replicas(tf) as (tf, strategy):
        traced = []

        @tf.function
        def step(x):
            traced.append(x)
            return x * 2.0

        for factor in (1.0, 3.0):
            rows = numbered(tf, strategy, [factor, 2 * factor, 4 * factor])
            got = parts(strategy, strategy.run(step, (rows,)))
            same(got, [2 * factor, 4 * factor, 8 * factor])
        assert len(traced) in (1, 3), "traced again in the second call"


@page.clause(".run/behaviour/within-function")
def run_within_a_function(tf):
    with replicas(tf) as (tf, strategy):

        @tf.function
        def total(rows):
            results = strategy.run(lambda x: x * x, (rows,))
            return strategy.reduce("SUM", results, axis=None)

        for rows, wanted in (([1.0, 2.0, 4.0], 21.0), ([3.0, 0.0, 1.0], 10.0)):
            same(np.array(total(numbered(tf, strategy, rows))), wanted)


@page.clause(".experimental_local_results/behaviour/one-value")
def local_results_of_one_value(tf):
    with replicas(tf) as (tf, strategy):
        same(parts(strategy, tf.constant(5.0)), [5.0])
        rows = numbered(tf, strategy, [1.0, 2.0, 4.0])
        results = strategy.experimental_local_results(rows)
        assert isinstance(results, tuple)
        same([np.array(one) for one in results], [1.0, 2.0, 4.0])


def reduced(tf, kind, rows, axis):
    with replicas(tf) as (tf, strategy):
        return np.array(strategy.reduce(kind, numbered(tf, strategy, rows), axis=axis))


ROWS = [[1.0, 2.0], [10.0, 20.0], [4.0, 8.0]]
UNEVEN = [[[1.0, 2.0]], [[4.0, 8.0]] * 2, [[16.0, 32.0]] * 1]


@page.clause(".reduce/behaviour/sum")
def reduce_sums(tf):
    same(reduced(tf, "SUM", ROWS, None), [15.0, 30.0])
    same(reduced(tf, "sum", ROWS, None), [15.0, 30.0])


@page.clause(".reduce/behaviour/mean")
def reduce_means(tf):
    same(reduced(tf, "MEAN", ROWS, None), [5.0, 10.0])


@page.clause(".reduce/behaviour/axis")
def reduce_along_an_axis(tf):
    same(reduced(tf, "SUM", ROWS, 0), 45.0)
    same(reduced(tf, "MEAN", ROWS, 0), 7.5)


@page.clause(".reduce/behaviour/uneven-rows")
def reduce_of_uneven_rows(tf):
    same(reduced(tf, "SUM", UNEVEN, 0), [25.0, 50.0])
    # The mean is over four rows, not over the three replicas' means.
    same(reduced(tf, "MEAN", UNEVEN, 0), [6.25, 12.5])


@page.clause(".reduce/behaviour/member")
def reduce_takes_members(tf):
    with version_2(tf) as module:
        kind = module.distribute.ReduceOp
    same(reduced(tf, kind.SUM, ROWS, None), [15.0, 30.0])
    same(reduced(tf, kind.MEAN, ROWS, None), [5.0, 10.0])


@page.clause(".reduce/behaviour/whole-numbers")
def reduce_whole_numbers(tf):
    same(reduced(tf, "SUM", [3, 4, 6], None), 13)


@page.clause(".reduce/behaviour/one-value")
def reduce_of_one_value(tf):
    with replicas(tf) as (tf, strategy):
        same(np.array(strategy.reduce("MEAN", tf.constant(6.0), axis=None)), 6.0)


@page.clause(".gather/behaviour/order")
def gather_joins_rows(tf):
    with replicas(tf) as (tf, strategy):
        same(
            np.array(strategy.gather(numbered(tf, strategy, UNEVEN), axis=0)),
            [[1.0, 2.0], [4.0, 8.0], [4.0, 8.0], [16.0, 32.0]],
        )


def shares(tf, rows, batch, drop=False):
    """Return what three replicas get of a range of numbers in batches."""
    with replicas(tf) as (tf, strategy):
        dataset = tf.data.Dataset.range(rows).batch(batch, drop_remainder=drop)
        elements = strategy.experimental_distribute_dataset(dataset)
        return [[part.tolist() for part in parts(strategy, x)] for x in elements]


@page.clause(".experimental_distribute_dataset/behaviour/divides")
def dataset_is_divided(tf):
    wanted = [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
    assert shares(tf, 12, 6) == wanted
    assert shares(tf, 13, 6, drop=True) == wanted


@page.clause(".experimental_distribute_dataset/behaviour/uneven-batches")
def dataset_of_uneven_batches(tf):
    assert shares(tf, 8, 4) == [[[0, 1], [2, 3], []], [[4, 5], [6, 7], []]]


@page.clause(".experimental_distribute_dataset/behaviour/last-batch")
def dataset_with_a_short_end(tf):
    assert shares(tf, 10, 6) == [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], []]]
    assert shares(tf, 7, 6)[1] == [[6], [], []]


@page.clause(".experimental_distribute_dataset/behaviour/in-function")
def dataset_in_a_function(tf):
    with replicas(tf) as (tf, strategy):
        dataset = tf.data.Dataset.range(12).batch(6, drop_remainder=True)
        iterator = iter(strategy.experimental_distribute_dataset(dataset))

        @tf.function
        def step(iterator):
            sums = strategy.run(tf.reduce_sum, (next(iterator),))
            return strategy.reduce("SUM", sums, axis=None)

        same([np.array(step(iterator)) for _ in range(2)], np.array([15, 51]))
        expect_raises(tf.errors.OutOfRangeError, step, iterator)


@page.clause(".distribute_datasets_from_function/behaviour/in-turn")
def datasets_of_a_function(tf):
    seen = []
    with replicas(tf) as (tf, strategy):

        def batches(context):
            seen.append(context)
            size = context.get_per_replica_batch_size(6)
            return tf.data.Dataset.range(12).batch(size)

        from_function = getattr(
            strategy,
            "distribute_datasets_from_function",
            strategy.experimental_distribute_datasets_from_function,
        )
        got = [
            [part.tolist() for part in parts(strategy, element)]
            for element in from_function(batches)
        ]
        assert got == [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]], got
        (context,) = seen
        assert context.num_replicas_in_sync == 3
        assert (context.num_input_pipelines, context.input_pipeline_id) == (1, 0)
        expect_raises(ValueError, context.get_per_replica_batch_size, 7)


def require_twelve_numbers(tf, strategy, iterator):
    """Require three replicas to get two batches of two numbers each, and the end."""
    first = [part.tolist() for part in parts(strategy, iterator.get_next())]
    assert first == [[0, 1], [2, 3], [4, 5]], first
    results = strategy.run(lambda x: x * 2, (iterator.get_next(),))
    doubled = [part.tolist() for part in parts(strategy, results)]
    assert doubled == [[12, 14], [16, 18], [20, 22]], doubled
    expect_raises(tf.errors.OutOfRangeError, iterator.get_next)


@page.clause(".make_dataset_iterator/behaviour/divides")
def iterator_of_a_divided_dataset(tf):
    with replicas(tf) as (tf, strategy):
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(12).batch(6))
        require_twelve_numbers(tf, strategy, iterator)


@page.clause(".make_input_fn_iterator/behaviour/in-turn")
def iterator_of_an_input_function(tf):
    seen = []
    with replicas(tf) as (tf, strategy):

        def batches(context):
            seen.append(context.num_replicas_in_sync)
            return tf.data.Dataset.range(12).batch(2)

        require_twelve_numbers(tf, strategy, strategy.make_input_fn_iterator(batches))
        assert seen == [3]


@page.clause(".experimental_distribute_values_from_function/behaviour/contexts")
def values_of_a_function(tf):
    with replicas(tf) as (tf, strategy):
        got = strategy.experimental_distribute_values_from_function(
            lambda c: tf.constant([c.replica_id_in_sync_group, c.num_replicas_in_sync])
        )
        same(parts(strategy, got), [[0, 3], [1, 3], [2, 3]])


@page.clause(".scope/behaviour/contexts")
def scope_is_cross_replica(tf):
    with replicas(tf) as (tf, strategy):
        where = tf.distribute
        assert not where.has_strategy() and not where.in_cross_replica_context()
        assert where.get_replica_context().num_replicas_in_sync == 1
        with strategy.scope():
            assert where.get_strategy() is strategy and where.has_strategy()
            assert where.in_cross_replica_context()
            assert where.get_replica_context() is None
        assert not where.has_strategy()


@page.clause(".run/behaviour/replica-context")
def run_has_replica_contexts(tf):
    with replicas(tf) as (tf, strategy):
        seen = []

        def step():
            context = tf.distribute.get_replica_context()
            assert context.strategy is strategy
            assert not tf.distribute.in_cross_replica_context()
            seen.append(context.num_replicas_in_sync)
            return number(tf)

        same(parts(strategy, strategy.run(step)), [0.0, 1.0, 2.0])
        assert seen == [3, 3, 3]


context_page = Page("tf.distribute.ReplicaContext")


def in_replicas(tf, step, rows):
    """Return what each of three replicas makes of its context and its row."""
    with replicas(tf) as (tf, strategy):

        @tf.function
        def whole(x):
            return step(tf, tf.distribute.get_replica_context(), x)

        return parts(strategy, strategy.run(whole, (numbered(tf, strategy, rows),)))


@context_page.clause(".all_reduce/behaviour/sum-and-mean")
def context_all_reduces(tf):
    rows = [1.0, 2.0, 6.0]
    same(in_replicas(tf, lambda tf, c, x: c.all_reduce("SUM", x), rows), [9.0] * 3)
    same(in_replicas(tf, lambda tf, c, x: c.all_reduce("MEAN", x), rows), [3.0] * 3)


@context_page.clause(".all_reduce/behaviour/nests")
def context_all_reduces_nests(tf):
    def step(tf, context, x):
        sums = context.all_reduce("SUM", {"a": x, "b": [2.0 * x]})
        return sums["a"] + sums["b"][0]

    same(in_replicas(tf, step, [1.0, 2.0, 6.0]), [27.0] * 3)


@context_page.clause(".merge_call/behaviour/once")
def context_merges(tf):
    def step(tf, context, x):
        def merge(strategy, value, factor):
            assert tf.distribute.in_cross_replica_context()
            return strategy.reduce("SUM", value, axis=None) * factor

        return x + context.merge_call(merge, args=(x,), kwargs={"factor": 2.0})

    same(in_replicas(tf, step, [1.0, 2.0, 6.0]), [19.0, 20.0, 24.0])


def after_run(tf, step, rows=(1.0, 2.0, 6.0), **settings):
    """Return a variable's values, as a whole and by replica, after a step."""
    with replicas(tf) as (tf, strategy):
        kinds = {
            "synchronization": tf.VariableSynchronization,
            "aggregation": tf.VariableAggregation,
        }
        options = {key: getattr(kinds[key], name) for key, name in settings.items()}
        with strategy.scope():
            variable = tf.Variable(0.0, **options)

        @tf.function
        def whole(x):
            step(variable, x)

        for _ in range(2):
            strategy.run(whole, (numbered(tf, strategy, list(rows)),))
        return variable.numpy(), parts(strategy, variable)


def add(variable, x):
    variable.assign_add(x)


def put(variable, x):
    variable.assign(x)


@page.clause(".scope/behaviour/summed-variable")
def variable_sums(tf):
    same(after_run(tf, add, aggregation="SUM"), (18.0, [18.0] * 3))


@page.clause(".scope/behaviour/averaged-variable")
def variable_means(tf):
    same(after_run(tf, put, aggregation="MEAN"), (3.0, [3.0] * 3))


@page.clause(".scope/behaviour/first-replica")
def variable_of_the_first_replica(tf):
    same(after_run(tf, add, aggregation="ONLY_FIRST_REPLICA"), (2.0, [2.0] * 3))


@page.clause(".scope/behaviour/summed-on-read")
def variable_summed_on_read(tf):
    got = after_run(tf, add, synchronization="ON_READ", aggregation="SUM")
    same(got, (18.0, [2.0, 4.0, 12.0]))


@page.clause(".scope/behaviour/averaged-on-read")
def variable_averaged_on_read(tf):
    got = after_run(tf, add, synchronization="ON_READ", aggregation="MEAN")
    same(got, (6.0, [2.0, 4.0, 12.0]))


@page.clause(".scope/behaviour/assigned-on-read")
def variable_on_read_assigned(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            variable = tf.Variable(
                0.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )
        variable.assign(12.0)
        same(variable.numpy(), 12.0)
        same(parts(strategy, variable), [4.0] * 3)


@page.clause(".scope/behaviour/assigned-mirrored")
def mirrored_variable_assigned(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            variable = tf.Variable([1.0, 2.0])
        variable.assign([5.0, 7.0])
        same(parts(strategy, variable), [[5.0, 7.0]] * 3)
        got = strategy.run(lambda: variable * (number(tf) + 1.0))
        same(parts(strategy, got), [[5.0, 7.0], [10.0, 14.0], [15.0, 21.0]])
