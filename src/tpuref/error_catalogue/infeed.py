"""Infeed queues."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INFEED_FROZEN,
        "The configuration of an infeed queue is frozen",
        meaning="Once operations of the queue exist, its types, shapes and shards stay "
        "as they are.",
        remedy="Configure the queue first, or make another one.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            queue.freeze()
            queue.set_tuple_types([tf.int32])
        """,
    ),
    Entry(
        codes.INFEED_NOT_CONFIGURED,
        "An infeed queue does not know its elements",
        meaning="The number, the types or the shapes of the elements of a tuple are "
        "not set.",
        remedy="Give tuple_types and tuple_shapes, or call set_tuple_types and "
        "set_tuple_shapes.",
        text="""
            import tpuref as tf

            tf.contrib.tpu.InfeedQueue()
        """,
    ),
    Entry(
        codes.INFEED_LENGTH,
        "A list is not as long as the tuples of the infeed queue",
        meaning="Types, shapes, shard dimensions and inputs have one entry for each "
        "element of a tuple.",
        remedy="Give one for each.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
            queue.set_tuple_types([tf.float32])
        """,
    ),
    Entry(
        codes.INFEED_SHARD_SHAPE,
        "The tuples of an infeed queue cannot be split into these shards",
        meaning="The dimension to split along does not exist or is not known, or the "
        "shards that were given differ in type, shape or device.",
        remedy="Declare the sizes in tuple_shapes, set another dimension with "
        "set_shard_dimensions, or give shards that are alike.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32],
                tuple_shapes=[[4]],
                shard_dimensions=[1],
            )
            queue.set_number_of_shards(2)
            queue.freeze()
        """,
    ),
    Entry(
        codes.INFEED_REPEATED,
        "The graph has these operations of an infeed queue already",
        meaning="A queue is filled by one operation and emptied by one computation in "
        "a graph.",
        remedy="Run the first one again, or make another queue.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            for _ in range(2):
                queue.generate_enqueue_ops([[tf.zeros([2])]])
        """,
    ),
    Entry(
        codes.INFEED_FULL,
        "An infeed queue is full",
        meaning="The host puts in more tuples than computations take.",
        remedy="Run the computation, or enqueue less often.",
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
    ),
    Entry(
        codes.INFEED_ENDED,
        "An infeed queue is exhausted",
        meaning="It was closed, and a replica asks for one more tuple than there were.",
        remedy="Enqueue as many tuples as the computation takes, and close the queue "
        "after the last.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            outputs = tf.tpu.replicate(lambda x: x, [[]], infeed_queue=queue)
            with tf.Session() as sess:
                sess.run(queue.generate_close_op())
                sess.run(outputs)
        """,
    ),
    Entry(
        codes.INFEED_STALLED,
        "A computation waited in vain for an infeed queue",
        meaning="Nothing was put in until the deadline (TPUREF_TIMEOUT). The message "
        "has what each replica took.",
        remedy="Run the operations of generate_enqueue_ops, in the same run or in "
        "another thread, or close the queue.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            outputs = tf.tpu.replicate(lambda x: x, [[]], infeed_queue=queue)
            with tf.config.override(timeout=0.2), tf.Session() as sess:
                sess.run(outputs)
        """,
    ),
)
