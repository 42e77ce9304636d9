"""Sessions: fetches and feeds; variables."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.SESSION_CLOSED,
        "The session is closed",
        meaning="It was closed, or its `with` block has ended.",
        remedy="Create a new tf.Session. Its variables need initialisation.",
        text="""
            import tpuref as tf

            sess = tf.Session()
            sess.close()
            sess.run(tf.constant(1.0))
        """,
    ),
    Entry(
        codes.CANNOT_FETCH,
        "This cannot be fetched",
        meaning="Session.run accepts tensors, operations, variables, their names, "
        "and nested structures of these.",
        remedy="Fetch one of these. None often comes from a function without a "
        "return statement.",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(None)
        """,
    ),
    Entry(
        codes.CANNOT_FEED,
        "This cannot be fed",
        meaning="feed_dict maps tensors to arrays, numbers or lists, not to tensors.",
        remedy="Evaluate a tensor first and feed its value.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            with tf.Session() as sess:
                sess.run(x, {x: tf.constant(1.0)})
        """,
    ),
    Entry(
        codes.FED_SHAPE,
        "The shape of a fed value does not match its tensor",
        meaning="The value must have the sizes that the placeholder declares.",
        remedy="Reshape the value, or use None in the placeholder's shape for sizes "
        "that vary.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [2])
            with tf.Session() as sess:
                sess.run(x, {x: [1.0, 2.0, 3.0]})
        """,
    ),
    Entry(
        codes.NOT_FED,
        "A placeholder was not fed",
        meaning="A fetched value depends on a placeholder that is not in feed_dict.",
        remedy="Feed it: sess.run(fetches, feed_dict={x: value}).",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            with tf.Session() as sess:
                sess.run(x + 1.0)
        """,
    ),
    Entry(
        codes.NO_SESSION,
        "There is no current session",
        meaning="Tensor.eval and Operation.run use the enclosing session.",
        remedy="Use `with tf.Session() as sess:`, or pass session=.",
        text="""
            import tpuref as tf

            tf.constant(1.0).eval()
        """,
    ),
    Entry(
        codes.UNINITIALIZED,
        "A variable has no value yet in this session",
        meaning="Variables get their initial values when their initializers run, "
        "separately in each session.",
        remedy="Run sess.run(tf.global_variables_initializer()) first.",
        text="""
            import tpuref as tf

            v = tf.Variable(1.0)
            with tf.Session() as sess:
                sess.run(v + 1.0)
        """,
    ),
    Entry(
        codes.VARIABLE_EXISTS,
        "A variable of this name already exists",
        meaning="A name can be used once, unless the scope shares variables. The "
        "message shows the line of the first use.",
        remedy="Use another name or scope, or share it with reuse=True or "
        "tf.AUTO_REUSE.",
        text="""
            import tpuref as tf

            tf.get_variable("w", [2])
            tf.get_variable("w", [2])
        """,
    ),
    Entry(
        codes.VARIABLE_MISSING,
        "There is no variable of this name to share",
        meaning="The scope shares variables (reuse=True), but none was created before.",
        remedy="Create it first, or use reuse=tf.AUTO_REUSE.",
        text="""
            import tpuref as tf

            with tf.variable_scope("model", reuse=True):
                tf.get_variable("w", [2])
        """,
    ),
    Entry(
        codes.VARIABLE_MISMATCH,
        "A variable and a value differ in shape or dtype",
        meaning="A variable keeps the shape and the dtype it was created with; "
        "sharing it with others is also refused.",
        remedy="Convert with tf.cast or tf.reshape, or request the variable with its "
        "own shape and dtype.",
        text="""
            import tpuref as tf

            v = tf.Variable([1.0, 2.0])
            v.assign([1.0, 2.0, 3.0])
        """,
    ),
    Entry(
        codes.VARIABLE_WITHOUT_SHAPE,
        "A variable needs a known shape",
        meaning="Neither the arguments nor the initializer give its shape.",
        remedy="Pass shape=, or an initial value of known shape.",
        text="""
            import tpuref as tf

            tf.get_variable("w")
        """,
    ),
)
