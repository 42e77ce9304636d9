"""Infeed queues."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INFEED_FROZEN,
        "The configuration of an infeed queue is frozen",
        meaning="Once the queue has operations, its types, shapes and shards cannot "
        "change.",
        remedy="Configure the queue first, or create another one.",
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
        remedy="Pass tuple_types and tuple_shapes, or call set_tuple_types and "
        "set_tuple_shapes.",
        text="""
            import tpuref as tf

            tf.contrib.tpu.InfeedQueue()
        """,
    ),
    Entry(
        codes.INFEED_LENGTH,
        "A list does not have the length of the infeed queue's tuples",
        meaning="Types, shapes, shard dimensions and inputs need one entry for each "
        "element of a tuple.",
        remedy="Pass one entry for each.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(number_of_tuple_elements=2)
            queue.set_tuple_types([tf.float32])
        """,
    ),
    Entry(
        codes.INFEED_SHARD_SHAPE,
        "The tuples of an infeed queue cannot be split into these shards",
        meaning="The dimension to split does not exist or is unknown, or the given "
        "shards differ in type, shape or device.",
        remedy="Declare the sizes in tuple_shapes, choose another dimension with "
        "set_shard_dimensions, or pass equal shards.",
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
        "The graph already has these operations of an infeed queue",
        meaning="In a graph, one operation fills a queue and one computation empties "
        "it.",
        remedy="Run the first one again, or create another queue.",
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
        meaning="More tuples are enqueued than are taken at the other end.",
        remedy="Run the computation, or enqueue less often; take from the outfeed in "
        "another thread.",
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
        meaning="The queue was closed, and a replica needs more tuples than it held.",
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
        "A computation waited too long for an infeed queue",
        meaning="Nothing was enqueued before the deadline (TPUREF_TIMEOUT). The "
        "message shows what each replica or core took.",
        remedy="Run the operations that enqueue, in the same run or in another thread, "
        "or close the queue.",
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
    Entry(
        codes.FEED_MISMATCH,
        "A tuple in the infeed or outfeed of a core is not what is taken",
        meaning="Number, types or shapes of the tensors differ from what the operation "
        "declares, or the type cannot be fed in.",
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
        text="""
            import tpuref as tf

            enqueue = tf.contrib.tpu.infeed_enqueue_tuple([tf.zeros([3])], [[3]])
            with tf.Session() as sess:
                sess.run(enqueue)
        """,
    ),
    Entry(
        codes.FEED_ABANDONED,
        "The computation at the other end of an infeed or outfeed failed",
        meaning="A thread of the host waits for a core that will neither send nor take "
        "anything more. The message has the fault.",
        remedy="Correct the fault, and run tf.tpu.initialize_system(), which empties "
        "the queues.",
        text="""
            import threading
            import time

            import tpuref as tf

            step = tf.tpu.rewrite(
                lambda x: tf.contrib.tpu.outfeed_enqueue(1 // x),
                [tf.placeholder(tf.int32, [], name="x")],
            )
            taken = tf.contrib.tpu.outfeed_dequeue(tf.int32, [], device_ordinal=0)
            with tf.Session() as sess:

                def compute():
                    time.sleep(0.3)
                    try:
                        sess.run(step, {"x:0": 0})
                    except tf.errors.InvalidArgumentError:
                        pass

                threading.Thread(target=compute).start()
                sess.run(taken)
        """,
    ),
)
