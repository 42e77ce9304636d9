"""Gradients and tapes."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.NO_GRADIENT,
        "An operation has no gradient",
        meaning="The message names the operation and the line that built it. A "
        "replicated computation has none from outside of it.",
        remedy="Call tf.gradients inside the computation; differentiate by what comes "
        "after the operation; or take its result through tf.stop_gradient.",
        text="""
            import tpuref as tf

            x = tf.constant([1.0, 2.0])
            tf.gradients(tf.random_shuffle(x), x)
        """,
    ),
    Entry(
        codes.GRADIENT_OF_HOST_PART,
        "tf.tpu.outside_compilation has no gradient",
        meaning="The gradient of a host part would be another host part, between "
        "operations of the cores.",
        remedy="Differentiate what runs on the cores alone, or take the result of the "
        "host part through tf.stop_gradient.",
        text="""
            import tpuref as tf

            def computation(x):
                y = tf.tpu.outside_compilation(lambda a: a * 2.0, x)
                return tf.gradients(y, x)

            tf.tpu.rewrite(computation, [1.0])
        """,
    ),
    Entry(
        codes.GRADIENT_ARGUMENT,
        "A gradient cannot begin or end so",
        meaning="The gradients to begin with have another number, shape or dtype than "
        "the tensors; something watched is not a number; or a custom gradient does not "
        "return one value for each argument.",
        remedy="Give one gradient for each tensor, or None for ones; a complex tensor "
        "always needs one.",
        text="""
            import tpuref as tf

            x = tf.constant(1.0)
            tf.gradients(x * x, x, grad_ys=[1.0, 2.0])
        """,
    ),
    Entry(
        codes.TAPE_USED_UP,
        "A tape was asked twice",
        meaning="A tape forgets what it noted once it was asked, unless it is "
        "persistent.",
        remedy="Ask for all gradients in one call, or use "
        "tf.GradientTape(persistent=True).",
        text="""
            import tpuref as tf

            x = tf.constant(1.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            tape.gradient(y, x)
            tape.gradient(y, x)
        """,
    ),
    Entry(
        codes.TAPE_MISUSED,
        "A tape was entered twice, or stopped while it did not record",
        meaning="A tape records within its `with` block, one block at a time.",
        remedy="Make another tape, or call stop_recording within the block.",
        text="""
            import tpuref as tf

            with tf.GradientTape() as tape:
                pass
            with tape.stop_recording():
                pass
        """,
    ),
)
