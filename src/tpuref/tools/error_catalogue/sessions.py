"""Sessions and variables."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.SESSION_CLOSED,
        "A session or a server is closed",
        meaning="It was closed or stopped, its `with` block has ended, or a hook "
        "requested a stop; or the threads of a coordinator do not stop in time.",
        remedy="Create a new one; its variables need initialisation. Run a monitored "
        "session while `not session.should_stop()`; threads check "
        "coord.should_stop().",
        replaces="E073 E244",
    ),
    Entry(
        codes.CANNOT_FEED,
        "This cannot be fed",
        meaning="feed_dict maps tensors to arrays, numbers or lists of the declared "
        "shape, not to tensors; two hooks, or a hook and the caller, may not feed the "
        "same tensor.",
        remedy="Evaluate a tensor first and feed its value. Reshape the value, use "
        "None in the placeholder's shape for sizes that vary, and feed each tensor in "
        "one place.",
        replaces="E133 E242",
    ),
    Entry(
        codes.NOT_FED,
        "A placeholder was not fed",
        meaning="A fetched value depends on a placeholder that is not in feed_dict.",
        remedy="Feed it: sess.run(fetches, feed_dict={x: value}).",
    ),
    Entry(
        codes.NO_SESSION,
        "There is no current session",
        meaning="Tensor.eval and Operation.run use the enclosing session.",
        remedy="Use `with tf.Session() as sess:`, or pass session=.",
    ),
    Entry(
        codes.UNINITIALIZED,
        "A variable, an iterator, a table or an array has no value yet",
        meaning="Variables, initializable iterators and tables get their contents "
        "when their initializers run, separately in each session. A tf.TensorArray "
        "without element_shape has none before its first write.",
        remedy="Run sess.run(tf.global_variables_initializer()), iterator.initializer "
        "or tf.tables_initializer() first; add variables to the collections that a "
        "scaffold initializes. Use the array that write returns.",
        replaces="E091 E241 E268 E270",
    ),
    Entry(
        codes.VARIABLE_REUSE,
        "A variable of this name exists already, or does not exist",
        meaning="A name can be used once, unless the scope shares variables "
        "(reuse=True), which then must exist. A graph has one global step, an "
        "integer. The message shows the line of the first use.",
        remedy="Use another name or scope, share with reuse=tf.AUTO_REUSE, or call "
        "tf.train.get_or_create_global_step().",
        replaces="E142 E224",
    ),
    Entry(
        codes.VARIABLE_MISMATCH,
        "A variable and a value differ in shape or dtype",
        meaning="A variable keeps the shape and the dtype it was created with, also "
        "when it is shared with others or restored from a checkpoint.",
        remedy="Convert with tf.cast or tf.reshape, build the model as it was when it "
        "was saved, leave the variable out, or use tf.train.Saver(reshape=True).",
        replaces="E216",
    ),
)
