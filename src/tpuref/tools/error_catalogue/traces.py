"""Traced functions, and strategies of replicas."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.PYTHON_CONTROL_FLOW,
        "Python's control flow depends on a tensor of a traced function",
        meaning="tf.function calls the Python function once to see its operations. "
        "There is no value yet for `if` or `while` to look at, and a `for` over a "
        "tensor of unknown length has one body for all turns.",
        remedy="Use tf.cond, tf.while_loop, tf.map_fn or tf.where, as the message "
        "shows.",
        text="""
            import tpuref as tf


            @tf.function
            def magnitude(x):
                if x > 0:
                    return x
                return -x


            magnitude(tf.constant(-1.0))
        """,
    ),
    Entry(
        codes.VARIABLES_MADE_AGAIN,
        "A traced function makes variables again",
        meaning="A variable lasts from call to call, so a function can make it only "
        "when it is called for the first time.",
        remedy="Make the variable outside of the function, or under `if self.v is "
        "None:`.",
        text="""
            import tpuref as tf


            @tf.function
            def grown(x):
                return tf.Variable(1.0) + x


            grown(tf.constant(1.0))
        """,
    ),
    Entry(
        codes.OTHER_SIGNATURE,
        "The arguments do not fit the signature of a function",
        meaning="The function has an input_signature, or is a concrete function, and "
        "takes tensors of that type and shape only.",
        remedy="Pass such tensors, widen the signature with None for sizes, or leave "
        "input_signature out.",
        text="""
            import tpuref as tf


            @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
            def doubled(x):
                return 2.0 * x


            doubled(tf.constant([1.0, 2.0, 3.0]))
        """,
    ),
    Entry(
        codes.TRACED_RESULT,
        "A traced function returns what is no tensor",
        meaning="What a traced function returns comes out of its program.",
        remedy="Return tensors, values that convert to tensors, None, or nests of "
        "these.",
        text="""
            import tpuref as tf

            named = tf.function(lambda: object())
            named()
        """,
    ),
    Entry(
        codes.NOT_A_BATCH,
        "The elements of a dataset have no rows to divide",
        meaning="experimental_distribute_dataset divides each element among the "
        "replicas.",
        remedy="Use dataset.batch(global_batch_size) first.",
        text="""
            import tpuref as tf

            strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
            strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
        """,
    ),
    Entry(
        codes.REPLICA_ARGUMENT,
        "An argument of a strategy, or of tf.config, is invalid",
        meaning="There is no such reduction, device or cluster.",
        remedy="Use what the message names.",
        text="""
            import tpuref as tf

            tf.distribute.get_strategy().reduce("MAX", 1.0, axis=None)
        """,
    ),
    Entry(
        codes.UNCONNECTED,
        "There is no address to connect to",
        meaning="experimental_connect_to_host needs the address of a server.",
        remedy="Pass 'host:port'; for cores of this computer no connection is needed.",
        text="""
            import tpuref as tf

            tf.config.experimental_connect_to_host("")
        """,
    ),
)
