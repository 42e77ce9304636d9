"""Infeed and outfeed queues."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INFEED_UNBALANCED,
        "An infeed or outfeed is empty or full",
        meaning="One side takes more tuples than the other enqueues before the "
        "deadline (TPUREF_TIMEOUT) or before the queue is closed, or fewer than its "
        "capacity allows.",
        remedy="Enqueue as many tuples as the computation takes, in the same run or "
        "in another thread, and close the queue after the last. The message shows "
        "what each side took.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            enqueue = queue.generate_enqueue_ops([[tf.zeros([2])]])
            with tf.Session() as sess:
                while True:
                    sess.run(enqueue)
        """,
        replaces="E165 E166",
    ),
    Entry(
        codes.FEED_MISMATCH,
        "A tuple in the infeed or outfeed of a core is not what is taken",
        meaning="Number, types or shapes of the tensors differ from what the "
        "operation declares, or the type cannot be fed in.",
        remedy="Give dtypes and shapes as they are enqueued.",
        text="""
            import tpuref as tf

            step = tf.tpu.rewrite(
                lambda: tf.contrib.tpu.outfeed_enqueue_tuple([tf.zeros([3])])
            )
            taken = tf.contrib.tpu.outfeed_dequeue_tuple(
                [tf.float32], [[4]], device_ordinal=0
            )
            with tf.Session() as sess:
                sess.run([step, taken])
        """,
    ),
    Entry(
        codes.FEED_MISPLACED,
        "An operation of the infeed or outfeed is in the wrong place",
        meaning="A computation uses the queues of its own core; the host has to say "
        "which core it means.",
        remedy="Call infeed_dequeue and outfeed_enqueue in a computation, and give "
        "infeed_enqueue and outfeed_dequeue a device_ordinal.",
    ),
)
