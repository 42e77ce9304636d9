"""Warnings and hints, which go to the logger ``tpuref``."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.STALL_REPORT,
        "A run makes no progress",
        meaning="There was no progress for a tenth of the deadline, at most 10 s. The "
        "report shows where each core is, and the stacks of those that others wait "
        "for. At the deadline the run ends with TPUREF-E042.",
        remedy="Find out where the missing cores are. Replicas that only need longer "
        "are fine; TPUREF_TIMEOUT sets the deadline.",
    ),
    Entry(
        codes.OUTSIDE_OF_REPLICAS,
        "A sum or optimizer of replicas is used outside of them",
        meaning="Outside of a replicated computation there is one replica, so "
        "cross_replica_sum returns its input and CrossShardOptimizer leaves gradients "
        "as they are.",
        remedy="Use it in the function that tf.tpu.replicate or tf.tpu.shard runs.",
        text="""
            import logging

            import tpuref as tf

            logging.basicConfig()
            tf.tpu.cross_replica_sum(tf.constant(1.0))
        """,
        document="000_04abb9e9288042d8.txt",
        replaces="W032",
    ),
    Entry(
        codes.SUM_OF_MEANS,
        "Means of batches are summed over towers",
        meaning="Each tower's value is already a mean over its own batch. Their sum "
        "is the mean over the whole batch times the number of towers.",
        remedy="Use tf.VariableAggregation.MEAN, or divide the loss by the number of "
        "towers.",
        text="""
            import logging

            import tpuref as tf

            logging.basicConfig()
            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                losses = strategy.call_for_each_tower(
                    lambda: tf.reduce_mean(tf.random_uniform([4]))
                )
                strategy.reduce(tf.VariableAggregation.SUM, losses, "/cpu:0")
        """,
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.MANY_TRACES,
        "A function was traced several times in a row",
        meaning="Each call differed from all before it in a Python value, a type or a "
        "shape, so the function was traced again, which takes far longer than a call.",
        remedy="Pass tensors instead of Python numbers, keep shapes equal, give "
        "reduce_retracing=True, or define the function outside of the loop.",
    ),
    Entry(
        codes.CHECKPOINT_WITHOUT_CHECKSUMS,
        "A checkpoint has no checksums",
        meaning="It was written in format 1, by an earlier version or another program. "
        "A value that a disk or a transfer has changed restores without an error.",
        remedy="Restore it and save it again: checkpoints of format 2 have a checksum "
        "for each tensor.",
    ),
    Entry(
        codes.SHARED_CHECKPOINTS,
        "Another process writes checkpoints to the same directory",
        meaning="The state file `checkpoint` is not as this process wrote it. Two "
        "trainings in one directory replace each other's latest checkpoint, and a "
        "restart continues whichever was last.",
        remedy="Give each training a model_dir or checkpoint_dir of its own.",
        text="""
            import logging
            import tempfile

            import tpuref as tf

            logging.basicConfig()
            folder = tempfile.mkdtemp()
            tf.train.update_checkpoint_state(folder, folder + "/model-1")
            with open(folder + "/checkpoint", "a") as file:  # plays the other process
                file.write("\\n")
            tf.train.update_checkpoint_state(folder, folder + "/model-2")
        """,
    ),
    Entry(
        codes.SERVER_UNPROTECTED,
        "Other computers may reach the server, without a token or without TLS",
        meaning="The server listens on an address that is not a loopback address. "
        "Without a token it serves anyone who connects; without TLS anyone on the "
        "network can read the token.",
        remedy="Pass token= and credentials= to tf.train.Server, or listen on "
        "localhost.",
    ),
    Entry(
        codes.NO_POOL_HERE,
        "There is no core pool on this platform",
        meaning="The core pool needs Linux. Elsewhere lockstep runs all replicas in "
        "the process of the program: the results are the same, and one processor is "
        "used.",
        remedy="TPUREF_EXECUTOR=lockstep asks for lockstep and silences the warning. "
        "For the pool, use Linux, WSL 2 or a Linux container.",
    ),
)
