"""Inputs and outputs of replicas and shards, collectives, and host calls."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INPUTS_NOT_LISTED,
        "The inputs are not a list, or the list is empty",
        meaning="tf.tpu.replicate takes a list with a list of inputs for each "
        "replica; tf.tpu.shard, batch_parallel and rewrite take one list of inputs.",
        remedy="Write inputs=[[x0, y0], [x1, y1]] for two replicas, inputs=[x, y] for "
        "the others, and [[]] or None for no inputs.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda x: x, inputs=[])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.UNEVEN_SHARDS,
        "A dimension cannot be split into equal shards",
        meaning="The size of the dimension to split must be divisible by the number "
        "of shards.",
        remedy="Use a size that the message gives: leave out elements, or pad them "
        "(tf.pad) and mask the result. With tf.data, batch(..., drop_remainder=True) "
        "drops an incomplete batch.",
        text="""
            import tpuref as tf

            images = tf.zeros([30, 28, 28])
            tf.tpu.shard(tf.reduce_mean, [images], num_shards=8)
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.NO_SHARD_DIMENSION,
        "An input has no dimension to split",
        meaning="An input of tf.tpu.shard is a scalar, has no dimension with the "
        "number of its shard axis, or has unknown rank.",
        remedy="Give the tensor a shape (set_shape), let the computation capture "
        "scalars, or choose another axis with input_shard_axes.",
        text="""
            import tpuref as tf

            tf.tpu.shard(lambda x: x, [tf.constant(1.0)], num_shards=2)
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.REPLICA_STRUCTURES_DIFFER,
        "Replicas have different numbers or structures of inputs",
        meaning="Every replica runs the same computation, so each needs the same "
        "inputs in the same nesting.",
        remedy="Make the lists alike. The message shows the path of the first "
        "difference.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda x: x, inputs=[[1.0], [2.0, 3.0]])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.REPLICA_TENSORS_DIFFER,
        "Replicas have inputs of different dtypes or shapes",
        meaning="To the computation, corresponding inputs of all replicas are one "
        "tensor, which has one dtype and, without padding, one shape.",
        remedy="Convert with tf.cast; for shapes that differ, pass maximum_shapes, "
        "which pads the inputs.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda x: x, inputs=[[tf.zeros([2])], [tf.zeros([3])]])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.WRONG_INPUT_COUNT,
        "The computation takes a different number of inputs",
        meaning="The parameters of the computation do not fit the inputs of a "
        "replica and of the infeed queue.",
        remedy="Change the computation or the inputs. Wrap a single input that is a "
        "list in another list: inputs=[[x]].",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda x, y: x + y, inputs=[[1.0], [2.0]])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.INVALID_OUTPUTS,
        "The computation returned an invalid output",
        meaning="A flat list contains tensors, then operations; a nested structure "
        "contains only tensors; tf.tpu.shard accepts no nested structure.",
        remedy="Return tensors, or values that convert to tensors, and operations "
        "only at the end of a flat list.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(lambda x: [tf.no_op(), x], inputs=[[1.0]])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.INVALID_SHARD_COUNT,
        "The number of shards is less than 1",
        meaning="tf.tpu.shard and batch_parallel run the computation once for each "
        "shard.",
        remedy="Pass num_shards of at least 1, usually the number of cores.",
        text="""
            import tpuref as tf

            tf.tpu.shard(lambda x: x, [tf.zeros([4])], num_shards=0)
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.WRONG_AXIS_COUNT,
        "The number of axes differs from that of inputs or outputs",
        meaning="input_shard_axes has one entry per input; output_shard_axes and "
        "outputs_from_all_shards have one per output.",
        remedy="Pass one entry for each, or omit the argument.",
        text="""
            import tpuref as tf

            x = tf.zeros([4, 4])
            tf.tpu.shard(tf.add, [x, x], num_shards=2, input_shard_axes=[0])
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.INVALID_GROUPS,
        "group_assignment is not a rectangular table of replica numbers",
        meaning="tf.tpu.cross_replica_sum takes the groups as an int32 table with "
        "one row per group, known when the graph is built.",
        remedy="Write [[0, 1], [2, 3]]: lists of integers with equal length.",
        text="""
            import tpuref as tf


            def total(x):
                return tf.tpu.cross_replica_sum(x, group_assignment=[0, 1])


            tf.tpu.replicate(total, inputs=[[1.0], [2.0]])
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.GROUPS_ARE_NO_PARTITION,
        "group_assignment omits, repeats or invents a replica",
        meaning="Each replica must be in exactly one group.",
        remedy="Fix the entry that the message names.",
        text="""
            import tpuref as tf


            def total(x):
                return tf.tpu.cross_replica_sum(x, group_assignment=[[0, 0]])


            tf.tpu.replicate(total, inputs=[[1.0], [2.0]])
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.WRONG_COMPONENT_COUNT,
        "A PerReplica value does not have one component per replica",
        meaning="In a replicated computation, a PerReplica value means the component "
        "of the running replica.",
        remedy="Create it with one value per replica.",
        text="""
            import tpuref as tf
            from tpuref.interface.tpu.per_replica import PerReplica

            x = PerReplica([1.0, 2.0, 3.0])
            tf.tpu.replicate(lambda: tf.tpu.cross_replica_sum(x), inputs=[[], []])
        """,
    ),
    Entry(
        codes.REPLICAS_MISSING,
        "Some replicas do not reach a sum that others wait for",
        meaning="A collective operation is in a branch or a loop that the replicas "
        "of its group do not run equally often. A TPU would hang.",
        remedy="Move the sum out of the branch, or let all replicas take it: sum a "
        "zero if there is nothing to add.",
        text="""
            import tpuref as tf


            def computation(x):
                return tf.cond(x > 1.0, lambda: tf.tpu.cross_replica_sum(x), lambda: x)


            outputs = tf.tpu.replicate(computation, inputs=[[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """,
    ),
    Entry(
        codes.COLLECTIVE_MISMATCH,
        "Replicas contribute different shapes to one sum",
        meaning="The shapes depend on the data and differ at run time, so the values "
        "cannot be added.",
        remedy="Make the shapes equal before the sum: pad, or reduce to a fixed shape.",
        text="""
            import tpuref as tf


            def computation(x):
                return tf.tpu.cross_replica_sum(tf.boolean_mask(x, x > 1.0))


            inputs = [[tf.constant([1.0, 2.0])], [tf.constant([2.0, 3.0])]]
            outputs = tf.tpu.replicate(computation, inputs)
            with tf.Session() as sess:
                sess.run(outputs)
        """,
    ),
    Entry(
        codes.REPLICAS_DISAGREE,
        "Replicas leave different values in a variable",
        meaning="With TPUREF_CHECK_REPLICAS=1 or tf.config.check_replicas, replicas "
        "that assign different values to a variable are an error. Otherwise the "
        "variable keeps replica 0's value.",
        remedy="Assign a value that is equal on all replicas, such as a "
        "cross_replica_sum.",
        text="""
            import tpuref as tf

            best = tf.get_variable("best", initializer=tf.constant(0.0))
            outputs = tf.tpu.replicate(lambda x: best.assign(x), [[1.0], [2.0]])
            with tf.config.override(check_replicas=True), tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(outputs)
        """,
    ),
    Entry(
        codes.NESTED_COMPUTATION,
        "A replicated computation is inside another one",
        meaning="A replicated computation cannot contain another one, and a strategy "
        "cannot run its towers in a computation of a different size.",
        remedy="Call the function directly in the computation: it already runs on "
        "every replica.",
        text="""
            import tpuref as tf


            def computation(x):
                return tf.tpu.rewrite(lambda y: y * 2, [x])


            tf.tpu.replicate(computation, inputs=[[1.0], [2.0]])
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.NESTED_HOST_PART,
        "outside_compilation is nested",
        meaning="The part already runs on the host.",
        remedy="Call tf.tpu.outside_compilation once, around the whole host part.",
        text="""
            import tpuref as tf

            outside = tf.tpu.outside_compilation


            def computation(x):
                return outside(lambda: outside(lambda: x + 1.0))


            tf.tpu.replicate(computation, inputs=[[1.0]])
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.HOST_FUNCTION_RAISED,
        "Your function raised an exception on the host",
        meaning="A function called by tf.py_func or by a dataset raised an "
        "exception. The error shows the replica and the line; the exception is its "
        "cause.",
        remedy="Fix the function. The class depends on the exception: ValueError and "
        "TypeError become InvalidArgumentError, others UnknownError.",
        text="""
            import tpuref as tf


            def host(x):
                raise ValueError(f"no use for {x}")


            def computation(x):
                return tf.tpu.outside_compilation(
                    lambda: tf.py_func(host, [x], tf.float32)
                )


            outputs = tf.tpu.replicate(computation, inputs=[[1.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """,
    ),
    Entry(
        codes.HOST_FUNCTION_RESULT,
        "A host function does not return what Tout declares",
        meaning="The function called by tf.py_func returned a wrong number of "
        "values, or values that do not convert to the declared types.",
        remedy="Return one value for each type in Tout; convert with "
        "numpy.asarray(value, dtype).",
        text="""
            import tpuref as tf

            doubled = tf.py_func(lambda x: x * 2.5, [1.0], tf.int32)
            with tf.Session() as sess:
                sess.run(doubled)
        """,
    ),
    Entry(
        codes.TOO_MANY_REPLICAS,
        "A computation has too many replicas",
        meaning="num_shards, or the length of inputs, exceeds 65536, the limit for one "
        "computation, here and on servers.",
        remedy="Use fewer replicas, each with a larger part of the inputs.",
        text="""
            import tpuref as tf

            tf.tpu.shard(lambda: tf.constant(1.0), num_shards=2**63)
        """,
    ),
)
