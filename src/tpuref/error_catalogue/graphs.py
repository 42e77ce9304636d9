"""Graphs, and tensors that are used where they have no value."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.LEAKED_TENSOR,
        "A tensor is used outside of the computation that made it",
        meaning="Within a replicated computation, a branch, a loop or a dataset's "
        "function, a tensor has one value per replica, turn or element, and none "
        "outside.",
        remedy="Return it from that function, and use what comes back. The message has "
        "both lines.",
        text="""
            import tpuref as tf

            kept = []
            tf.tpu.replicate(lambda x: kept.append(x * 2.0), inputs=[[1.0], [2.0]])
            tf.reduce_sum(kept[0])
        """,
    ),
    Entry(
        codes.OTHER_GRAPH,
        "A tensor, variable or session belongs to another graph",
        meaning="Operations are made, and run, with tensors of one graph.",
        remedy="Build both in one graph, or evaluate the value first and pass the "
        "array.",
        text="""
            import tpuref as tf

            with tf.Graph().as_default():
                x = tf.constant(1.0)
            with tf.Graph().as_default():
                x + 1.0
        """,
    ),
    Entry(
        codes.NO_SUCH_ELEMENT,
        "The graph has no operation or tensor of this name",
        meaning="A name was given that no operation has, or a tensor's name without "
        "its ':index'.",
        remedy="Graph.get_operations() lists the operations. The first output of "
        "'add' is 'add:0'.",
        text="""
            import tpuref as tf

            tf.constant(1.0, name="one")
            tf.get_default_graph().get_tensor_by_name("one")
        """,
    ),
    Entry(
        codes.GRAPH_FINALIZED,
        "The graph is finalized",
        meaning="After Graph.finalize() nothing can be added to a graph.",
        remedy="Build everything before; a function called in a loop may add "
        "operations without being meant to.",
        text="""
            import tpuref as tf

            tf.get_default_graph().finalize()
            tf.constant(1.0)
        """,
    ),
    Entry(
        codes.NO_TRUTH_VALUE,
        "A symbolic tensor is used as a condition of Python",
        meaning="`if`, `and`, `or`, `not` and comparisons in a chain ask for a value "
        "while the graph is built, when there is none.",
        remedy="Use tf.cond or tf.where for `if`, tf.logical_and for `and`.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            if x > 0.0:
                x = -x
        """,
    ),
    Entry(
        codes.NO_VALUE_YET,
        "A symbolic tensor has no value yet",
        meaning="int(), float(), numpy.asarray(), len() or iteration ask for a value "
        "or a length that only running the graph gives.",
        remedy="Evaluate it with tf.Session().run(tensor), or use tf functions, such "
        "as tf.shape(x)[0] for len(x).",
        text="""
            import numpy as np
            import tpuref as tf

            np.asarray(tf.placeholder(tf.float32, [2]))
        """,
    ),
    Entry(
        codes.NUMPY_NOT_SUPPORTED,
        "This NumPy function does not work on symbolic tensors",
        meaning="Many NumPy functions build operations; this one, or one of the "
        "arguments, has none.",
        remedy="Use a tf function, or call NumPy on the host with "
        "tf.tpu.outside_compilation and tf.py_func.",
        text="""
            import numpy as np
            import tpuref as tf

            np.histogram(tf.placeholder(tf.float32, [9]))
        """,
    ),
    Entry(
        codes.INVALID_DEVICE_NAME,
        "This is no name of a device",
        meaning="A device name has parts such as /job:worker, /task:0 and "
        "/device:TPU:0, each at most once.",
        remedy="Write '/device:CPU:0', or tf.tpu.core(0) for a core of the replica.",
        text="""
            import tpuref as tf

            with tf.device("core 1"):
                tf.constant(1.0)
        """,
    ),
    Entry(
        codes.WRONG_MODE,
        "This works in the other mode only",
        meaning="Placeholders and initializers belong to graph mode, numpy() to eager "
        "mode, and eager mode is switched on before the first operation.",
        remedy="Call tf.enable_eager_execution() at program start, or build in "
        "tf.Graph().as_default().",
        text="""
            import tpuref as tf

            tf.constant(1.0)
            tf.enable_eager_execution()
        """,
    ),
    Entry(
        codes.BRANCHES_DIFFER,
        "The branches of tf.cond return different things",
        meaning="Both have to return the same structure, of the same dtypes.",
        remedy="Let both return the same; tf.cast converts.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            tf.cond(x > 0.0, lambda: x, lambda: tf.constant(0))
        """,
    ),
    Entry(
        codes.LOOP_VARIABLE_CHANGES,
        "A loop variable changes its structure, dtype or shape",
        meaning="The body of tf.while_loop returns what the next turn takes, so it has "
        "to be alike.",
        remedy="Give shape_invariants with None for sizes that change; tf.cast "
        "converts.",
        text="""
            import tpuref as tf

            x = tf.zeros([1])
            tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [x])
        """,
    ),
    Entry(
        codes.NESTED_TOO_DEEP,
        "Branches, loops or computations are nested too deep",
        meaning="A graph and a server hold up to 63 branches, loops and computations "
        "inside each other.",
        remedy="Use one tf.while_loop for what repeats; tf.where selects values "
        "without branches.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])


            def nested(depth):
                if depth == 0:
                    return x
                return tf.cond(x > 0.0, lambda: nested(depth - 1), lambda: x)


            nested(64)
        """,
    ),
)
