"""Checks of TensorFlow 2's strategies: which is current, and what else they have."""

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import version_2
from .distribute_strategy import number, numbered, parts, replicas


def current(tf):
    place = tf.distribute
    return (
        place.has_strategy(),
        place.in_cross_replica_context(),
        place.get_replica_context() is not None,
        place.get_strategy().num_replicas_in_sync,
    )


@clause("tf.distribute.get_strategy/behaviour/default")
def default_strategy(tf):
    with version_2(tf) as tf:
        same(current(tf), (False, False, True, 1))
        strategy = tf.distribute.get_strategy()
        same(strategy.run(lambda x: x + 1.0, (tf.constant(1.0),)).numpy(), 2.0)
        same(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0).numpy(), 3.0)
        context = tf.distribute.get_replica_context()
        same((context.num_replicas_in_sync, context.strategy is strategy), (1, True))


@clause("tf.distribute.get_strategy/behaviour/in-scope")
def strategy_in_scope(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            assert tf.distribute.get_strategy() is strategy
            same(current(tf), (True, True, False, 3))
        contexts = []
        strategy.run(lambda: contexts.append(current(tf)))
        same(contexts, [(True, False, True, 3)] * 3)
        same(current(tf), (False, False, True, 1))


@clause("tf.distribute.OneDeviceStrategy/behaviour/one-replica")
def one_device(tf):
    with version_2(tf) as tf:
        strategy = tf.distribute.OneDeviceStrategy("CPU:0")
        with strategy.scope():
            total = tf.Variable(1.0)

        @tf.function
        def step(x):
            return strategy.run(lambda x: total.assign_add(tf.reduce_sum(x)), (x,))

        dataset = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32))
        elements = strategy.experimental_distribute_dataset(dataset.batch(2))
        got = [strategy.reduce("SUM", step(x), axis=None).numpy() for x in elements]
        same(got, [2.0, 4.0])
        same(strategy.num_replicas_in_sync, 1)
        same(len(strategy.experimental_local_results(step(tf.constant([1.0])))), 1)


@clause("tf.distribute.InputContext/behaviour/of-the-function")
def input_context(tf):
    with replicas(tf) as (tf, strategy):
        seen = []

        def dataset_fn(context):
            seen.append(context)
            rows = context.get_per_replica_batch_size(12)
            return tf.data.Dataset.range(12).batch(rows)

        elements = list(strategy.distribute_datasets_from_function(dataset_fn))
        wanted = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
        same([part.tolist() for part in parts(strategy, elements[0])], wanted)
        (context,) = seen
        numbers = context.num_input_pipelines, context.input_pipeline_id
        same((numbers, context.num_replicas_in_sync), ((1, 0), 3))
        expect_raises(ValueError, context.get_per_replica_batch_size, 13)


@clause("tf.distribute.Strategy.experimental_distribute_dataset/behaviour/element-spec")
def element_spec(tf):
    with replicas(tf) as (tf, strategy):
        dataset = tf.data.Dataset.range(8).map(lambda x: {"x": x, "y": (x, x)})
        elements = strategy.experimental_distribute_dataset(dataset.batch(6))
        traced = []

        @tf.function(input_signature=[elements.element_spec])
        def rows(element):
            traced.append(1)
            sums = strategy.run(lambda e: e["x"] + e["y"][1], (element,))
            return strategy.reduce("SUM", sums, axis=0)

        same([int(rows(element)) for element in elements], [30, 26])
        same(len(traced), 1)


@clause(
    "tf.distribute.Strategy.experimental_distribute_values_from_function/behaviour/equal-values"
)
def values_of_the_replicas(tf):
    with replicas(tf) as (tf, strategy):
        values = strategy.experimental_distribute_values_from_function(
            lambda context: {"n": context.num_replicas_in_sync, "text": "a"}
        )
        same(values["n"].values, (3, 3, 3))
        same(values["text"].values, ("a", "a", "a"))


@clause("tf.distribute.Strategy.experimental_local_results/behaviour/nests")
def local_results_of_a_nest(tf):
    with replicas(tf) as (tf, strategy):
        rows = numbered(tf, strategy, [1.0, 2.0, 4.0])
        results = strategy.experimental_local_results({"v": [rows, 5]})
        same([float(one["v"][0]) for one in results], [1.0, 2.0, 4.0])
        same([one["v"][1] for one in results], [5, 5, 5])


@clause("tf.distribute.ReplicaContext.all_gather/behaviour/order")
def all_gather(tf):
    with replicas(tf) as (tf, strategy):

        @tf.function
        def gathered(rows):
            def own(x):
                return tf.distribute.get_replica_context().all_gather(x, axis=0)

            return strategy.run(own, (rows,))

        rows = [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]
        for got in parts(strategy, gathered(numbered(tf, strategy, rows))):
            same(got, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@clause("tf.distribute.Strategy.extended/behaviour/reduce-and-update")
def extended(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            variable = tf.Variable(1.0)
        assert strategy.extended.variable_created_in_scope(variable)
        assert not strategy.extended.variable_created_in_scope(tf.Variable(1.0))
        same(len(strategy.extended.worker_devices), 3)
        same(len(strategy.extended.parameter_devices), 3)

        @tf.function
        def step():
            def merged(strategy, value):
                kind = tf.distribute.ReduceOp.SUM
                total = strategy.extended.reduce_to(kind, value, variable)
                strategy.extended.update(
                    variable, lambda v, t: v.assign_add(t), (total,)
                )

            def own():
                context = tf.distribute.get_replica_context()
                context.merge_call(merged, args=(number(tf),))

            strategy.run(own)

        for wanted in (4.0, 7.0):
            step()
            same(parts(strategy, variable), [wanted] * 3)


@clause("tf.distribute.Strategy/behaviour/gradients")
def gradients(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            variable = tf.Variable(2.0)

        @tf.function
        def slope(rows):
            def own(x):
                with tf.GradientTape() as tape:
                    loss = variable * variable * x
                grad = tape.gradient(loss, variable)
                return tf.distribute.get_replica_context().all_reduce("SUM", grad)

            return strategy.run(own, (rows,))

        got = slope(numbered(tf, strategy, [1.0, 2.0, 4.0]))
        same(parts(strategy, got), [28.0] * 3)
        same(np.array(strategy.reduce("MEAN", got, axis=None)), 28.0)
