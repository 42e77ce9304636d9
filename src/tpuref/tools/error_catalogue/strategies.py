"""Distribution strategies: scopes, towers, and their values."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

DOCUMENT = "001_66db0865fe92828f.txt"

ENTRIES = (
    Entry(
        codes.INVALID_TOWER_COUNT,
        "The number of towers is invalid",
        meaning="num_cores is less than 1, exceeds the cores of the system, or "
        "cannot be spread evenly over its hosts; or the system has no cores.",
        remedy="Use at most the number of cores, or a larger system (TPUREF_CORES).",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=64)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.OUTSIDE_SCOPE,
        "A method of a strategy is used outside its scope",
        meaning="The method works on values and variables of the strategy, so it "
        "must be called in the strategy's scope.",
        remedy="Call it within `with strategy.scope():`.",
        text="""
            import tpuref as tf

            strategy = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
            strategy.broadcast(tf.constant(1.0))
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.IN_TOWER_CONTEXT,
        "A method for all towers is called in one of them",
        meaning="reduce, broadcast, update and others work on the values of all towers "
        "at once, which a single tower does not have.",
        remedy="Use tf.get_tower_context().merge_call(merge_fn, value) and call the "
        "method in merge_fn(strategy, value).",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                strategy.call_for_each_tower(lambda: strategy.broadcast(1.0))
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.NESTED_SCOPES,
        "The scope of a strategy is inside that of another one",
        meaning="Only one strategy can be active.",
        remedy="Leave the first scope before you enter the second.",
        text="""
            import tpuref as tf

            first = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
            second = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
            with first.scope(), second.scope():
                pass
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.NOT_REDUCIBLE,
        "This value cannot be reduced over the towers",
        meaning="reduce takes one component per tower, numbers of one dtype and "
        "shape, as call_for_each_tower returns them. A mirrored or plain value is "
        "the same everywhere and needs no reduction.",
        remedy="Return the value from the function that call_for_each_tower runs. "
        "strategy.unwrap(value)[0] is the value of a mirrored one.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                mirrored = strategy.broadcast(tf.constant(1.0))
                strategy.reduce(tf.VariableAggregation.SUM, mirrored, "/cpu:0")
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.PER_DEVICE_AS_TENSOR,
        "A per-device value is used as if it were one tensor",
        meaning="It has one component per tower, and these may differ.",
        remedy="Combine it with strategy.reduce, list its components with "
        "strategy.unwrap, or pass it to call_for_each_tower.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                values = strategy.call_for_each_tower(lambda: tf.random_uniform([]))
                tf.add(values, 1.0)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.UNEVEN_MERGE_CALLS,
        "The towers made different numbers of merge calls",
        meaning="A merge call is one call for all towers, so each tower must make it. "
        "A tf.tpu.cross_replica_sum in a tower is such a call.",
        remedy="Make the same calls, in the same order, in every tower.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)


            def tower():
                context = tf.get_tower_context()
                if context.tower_id == 0:
                    context.merge_call(lambda strategy: None)


            with strategy.scope():
                strategy.call_for_each_tower(tower)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.MISPLACED_MERGE_CALL,
        "A merge call is made where towers cannot wait for each other",
        meaning="It is in a branch or a loop of the graph, or comes after the "
        "function of the tower has ended.",
        remedy="Make it directly in the function that call_for_each_tower runs, before "
        "or after the branch or loop.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)


            def merged():
                context = tf.get_tower_context()
                return context.merge_call(lambda strategy: tf.constant(1.0))


            def tower():
                chosen = tf.random_uniform([]) > 0.5
                return tf.cond(chosen, merged, lambda: tf.constant(0.0))


            with strategy.scope():
                strategy.call_for_each_tower(tower)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.NO_AGGREGATION,
        "No aggregation says how to combine the values of the towers",
        meaning="A variable is assigned in towers, or read outside them, but was "
        "created without an aggregation.",
        remedy="Create it with aggregation=tf.VariableAggregation.SUM, MEAN or "
        "ONLY_FIRST_TOWER, or combine the values first with strategy.reduce.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                v = tf.Variable(1.0)
                strategy.call_for_each_tower(lambda: v.assign(2.0))
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.INVALID_AGGREGATION,
        "This aggregation or synchronization is not supported here",
        meaning="A reduction accepts SUM, MEAN or ONLY_FIRST_TOWER of "
        "tf.VariableAggregation; a variable also accepts NONE.",
        remedy="Use one that the message lists.",
        text="""
            import tpuref as tf

            strategy = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
            with strategy.scope():
                strategy.reduce("sum", tf.constant(1.0), "/cpu:0")
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.UNKNOWN_DESTINATION,
        "There is no such destination, device or host",
        meaning="Destinations are a variable, a per-device value, or devices of the "
        "strategy; hosts are counted from 0.",
        remedy="Use one of the devices in the message.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            strategy.get_host_cpu_device(7)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.TOWER_STRUCTURES_DIFFER,
        "The towers returned different structures",
        meaning="Results of the towers are merged component by component.",
        remedy="Return the same nesting in every tower.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)


            def tower():
                x = tf.constant(1.0)
                return [x] if tf.get_tower_context().tower_id else [x, x]


            with strategy.scope():
                strategy.call_for_each_tower(tower)
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.STEP_OUTPUT_MISMATCH,
        "An output of the steps does not fit its initial value",
        meaning="run_steps_on_dataset keeps an output from step to step, so its "
        "initial value in initial_loop_values must have the output's dtype and shape.",
        remedy="Pass such a value; without one, outputs of known shape start as zeros.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)


            def step(context, x):
                context.set_last_step_output("loss", tf.constant([1.0, 2.0]))
                return tf.no_op()


            with strategy.scope():
                data = strategy.distribute_dataset(
                    lambda: tf.data.Dataset.range(8).batch(2, drop_remainder=True)
                )
                strategy.run_steps_on_dataset(
                    step,
                    data.make_one_shot_iterator(),
                    iterations=2,
                    initial_loop_values={"loss": tf.constant(0, tf.int32)},
                )
        """,
        document=DOCUMENT,
    ),
)
