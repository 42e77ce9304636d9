"""Graphs, and tensors that are used where they have no value."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.LEAKED_TENSOR,
        "A tensor is used outside the computation that created it",
        meaning="In a replicated computation, a branch, a loop or a dataset's "
        "function, a tensor has one value per replica, iteration or element, and "
        "none outside.",
        remedy="Return it from that function, and use the result. The message shows "
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
        meaning="Operations use tensors of a single graph.",
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
        meaning="No operation has the given name, or the name of a tensor lacks its "
        "':index'.",
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
        "operations unintentionally.",
        text="""
            import tpuref as tf

            tf.get_default_graph().finalize()
            tf.constant(1.0)
        """,
    ),
    Entry(
        codes.NO_TRUTH_VALUE,
        "A symbolic tensor is used as a Python condition",
        meaning="`if`, `and`, `or`, `not` and chained comparisons need a value while "
        "the graph is built, when there is none.",
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
        meaning="int(), float(), numpy.asarray(), len() or iteration need a value or "
        "a length that is known only when the graph runs.",
        remedy="Evaluate it with tf.Session().run(tensor), or use tf functions, such "
        "as tf.shape(x)[0] for len(x).  Look at the results of a traced function, or "
        "let functions run eagerly: tf.config.run_functions_eagerly(True).",
        text="""
            import numpy as np
            import tpuref as tf

            np.asarray(tf.placeholder(tf.float32, [2]))
        """,
    ),
    Entry(
        codes.NUMPY_NOT_SUPPORTED,
        "This NumPy function does not work on symbolic tensors",
        meaning="Many NumPy functions build operations on tensors, but this "
        "function, or one of its arguments, is not supported.",
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
        "This is not the name of a device",
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
        "This works only in the other mode",
        meaning="Placeholders and initializers need graph mode, numpy() needs eager "
        "mode, and eager mode must be enabled before the first operation.",
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
        "The branches of tf.cond return different structures",
        meaning="Both must return the same structure with the same dtypes.",
        remedy="Return the same from both; convert with tf.cast.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            tf.cond(x > 0.0, lambda: x, lambda: tf.constant(0))
        """,
    ),
    Entry(
        codes.LOOP_VARIABLE_CHANGES,
        "A loop variable changes its structure, dtype or shape",
        meaning="The body of tf.while_loop returns the values for the next "
        "iteration, so they must have the same structure, dtypes and shapes.",
        remedy="Pass shape_invariants with None for sizes that change; convert with "
        "tf.cast.",
        text="""
            import tpuref as tf

            x = tf.zeros([1])
            tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [x])
        """,
    ),
    Entry(
        codes.NESTED_TOO_DEEP,
        "Branches, loops or computations are nested too deep",
        meaning="Branches, loops and computations can be nested 63 deep, in graphs and "
        "on servers.",
        remedy="Use one tf.while_loop for the repetition, or select values with "
        "tf.where, which needs no branches.",
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
