"""Sessions: what is fetched and fed; variables."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.SESSION_CLOSED,
        "The session is closed",
        meaning="It was closed, or its `with` block was left.",
        remedy="Make a new tf.Session. Variables start anew there.",
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
        meaning="Session.run takes tensors, operations, variables, their names, and "
        "nested structures of them.",
        remedy="Fetch one of these. None often comes from a function without a return.",
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
        "A fed value has another shape than its tensor",
        meaning="Sizes that the placeholder knows have to be those of the value.",
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
        meaning="What is fetched depends on a placeholder that feed_dict does not "
        "have.",
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
        meaning="Tensor.eval and Operation.run use the session around them.",
        remedy="Use `with tf.Session() as sess:`, or give session=.",
        text="""
            import tpuref as tf

            tf.constant(1.0).eval()
        """,
    ),
    Entry(
        codes.UNINITIALIZED,
        "A variable has no value yet in this session",
        meaning="Variables get their first values when their initializers run, in each "
        "session anew.",
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
        "tf.get_variable made a variable of this name before",
        meaning="A name is given once, unless the scope says that variables are "
        "shared. The message has the line of the first.",
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
        meaning="The scope shares variables (reuse=True), and none was made before.",
        remedy="Make it first, or use reuse=tf.AUTO_REUSE.",
        text="""
            import tpuref as tf

            with tf.variable_scope("model", reuse=True):
                tf.get_variable("w", [2])
        """,
    ),
    Entry(
        codes.VARIABLE_MISMATCH,
        "A variable and a value differ in shape or dtype",
        meaning="A variable keeps the shape and the dtype it was made with; sharing it "
        "under others is refused as well.",
        remedy="Convert with tf.cast or tf.reshape, or ask for the variable as it was "
        "made.",
        text="""
            import tpuref as tf

            v = tf.Variable([1.0, 2.0])
            v.assign([1.0, 2.0, 3.0])
        """,
    ),
    Entry(
        codes.VARIABLE_WITHOUT_SHAPE,
        "A variable needs a known shape",
        meaning="Neither the arguments nor the initializer say how large it is.",
        remedy="Give shape=, or an initial value of known shape.",
        text="""
            import tpuref as tf

            tf.get_variable("w")
        """,
    ),
)
