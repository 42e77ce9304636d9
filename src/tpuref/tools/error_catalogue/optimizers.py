"""Errors of optimizers and of the global step."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.NOTHING_TO_OPTIMIZE,
        "There is no variable, or no gradient, for an optimizer",
        meaning="The graph has no trainable variables, or the loss depends on none of "
        "those that are optimized.",
        remedy="Compute the loss from the variables, through operations that have "
        "gradients. tf.stop_gradient, casts to integers and tf.argmax end the way.",
        text="""
            import tpuref as tf

            w = tf.get_variable("w", initializer=1.0)
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(2.0))
        """,
    ),
    Entry(
        codes.OPTIMIZER_ARGUMENT,
        "An optimizer, a decay or an average cannot take an argument",
        meaning="A number is outside of its range, a gradient or a variable is "
        "neither a tensor nor a variable of floating-point numbers, or numbers do not "
        "go together. The message names the argument and what it got.",
        remedy="Give what the message expects.",
        text="""
            import tpuref as tf

            tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0)
        """,
    ),
    Entry(
        codes.OPTIMIZER_LACKS_UPDATE,
        "A subclass of tf.train.Optimizer does not say how a variable changes",
        meaning="The gradient of a variable is dense, or sparse, and the subclass has "
        "no method for it.",
        remedy="Write _resource_apply_dense or _resource_apply_sparse, or give the "
        "optimizer a dense gradient: tf.convert_to_tensor(gradient).",
        text="""
            import tpuref as tf


            class Still(tf.train.Optimizer):
                def __init__(self):
                    super().__init__(use_locking=False, name="Still")


            w = tf.get_variable("w", initializer=1.0)
            Still().minimize(w * w)
        """,
    ),
    Entry(
        codes.CROSS_SHARD_ARGUMENT,
        "CrossShardOptimizer cannot take an argument",
        meaning="The reduction is neither tf.losses.Reduction.MEAN nor SUM, the "
        "optimizer is no tf.train.Optimizer, or the groups are not lists of equal "
        "length that contain each replica.",
        remedy="Give what the message expects.",
        text="""
            import tpuref as tf

            descent = tf.train.GradientDescentOptimizer(0.1)
            tf.tpu.CrossShardOptimizer(descent, reduction="mean")
        """,
        document="000_04abb9e9288042d8.txt",
    ),
    Entry(
        codes.GLOBAL_STEP_MISMATCH,
        "The graph has another global step, or none that counts",
        meaning="A graph has one global step, a variable of one integer.",
        remedy="tf.train.get_or_create_global_step() returns it, and makes it if need "
        "be.",
        text="""
            import tpuref as tf

            tf.train.create_global_step()
            tf.train.create_global_step()
        """,
    ),
)
"""The entries."""
