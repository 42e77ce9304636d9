"""Replicas, shards and sums."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.UNEVEN_SHARDS,
        "Something cannot be divided into equal parts",
        meaning="A dimension must be divisible by the number of shards, a batch by "
        "the number of replicas, and cores and replicas are the same number on every "
        "host.",
        remedy="Use a size that the message gives: leave out elements, or pad them "
        "(tf.pad) and mask the result. With tf.data, batch(..., drop_remainder=True) "
        "drops an incomplete batch. Choose batch sizes, hosts and topologies that "
        "divide evenly.",
        document="000_04abb9e9288042d8.txt",
        replaces="E068 E251 E262",
    ),
    Entry(
        codes.NO_SHARD_DIMENSION,
        "An input has no dimension to split",
        meaning="An input of tf.tpu.shard, of an infeed queue or of a distributed "
        "dataset is a scalar, has no dimension of that number, or its size or rank is "
        "unknown; or given shards differ.",
        remedy="Declare the shape (set_shape, tuple_shapes), batch the dataset first, "
        "choose another axis, or let the computation capture scalars.",
        document="000_04abb9e9288042d8.txt",
        replaces="E163 E234",
    ),
    Entry(
        codes.INVALID_GROUPS,
        "group_assignment does not divide the replicas into groups",
        meaning="It is a rectangular table of integers, known when the graph is "
        "built, with one row for each group. Each replica is in exactly one group.",
        remedy="Write [[0, 1], [2, 3]]: the message names the entry that is wrong, "
        "missing or repeated.",
        document="000_04abb9e9288042d8.txt",
        replaces="E031",
    ),
    Entry(
        codes.REPLICAS_MISSING,
        "Some replicas do not reach a collective that others wait for",
        meaning="A sum or a merge call is in a branch or a loop that not all replicas "
        "or towers run equally often, or comes after a tower has ended. A TPU would "
        "hang.",
        remedy="Make the same calls in the same order on every replica. Move the sum "
        "out of the branch, or sum a zero if there is nothing to add.",
        replaces="E086 E087",
    ),
    Entry(
        codes.REPLICAS_DISAGREE,
        "Replicas leave different values in a variable",
        meaning="With TPUREF_CHECK_REPLICAS=1 or tf.config.check_replicas, replicas "
        "that assign different values to a variable are an error. Otherwise the "
        "variable keeps replica 0's value.",
        remedy="Assign a value that is equal on all replicas, such as a "
        "cross_replica_sum.",
    ),
    Entry(
        codes.NESTED_COMPUTATION,
        "This cannot stand inside a computation or scope of its kind",
        meaning="A replicated computation, a host part or the scope of a strategy is "
        "inside another one, or a computation starts or stops the system that runs "
        "it.",
        remedy="Call the function directly: inside, it already runs on every replica, "
        "or on the host. Start and stop the system in separate runs, and leave the "
        "first scope before the second.",
        text="""
            import tpuref as tf

            outside = tf.tpu.outside_compilation


            def computation(x):
                return outside(lambda: outside(lambda: x + 1.0))


            tf.tpu.replicate(computation, inputs=[[1.0]])
        """,
        document="003_0632b6613bf28dbc.txt",
        replaces="E011 E037 E083",
    ),
    Entry(
        codes.REPLICAS_UNLIKE_CORES,
        "The replicas do not fit the cores",
        meaning="Without a device assignment a computation has one replica, or one on "
        "each core. With one, it has the replicas and logical cores of the "
        "assignment, which is for the topology that runs. A strategy needs as many "
        "cores as towers, spread evenly over the hosts.",
        remedy="Use fewer replicas, a larger system (TPUREF_CORES, tf.config.cores, "
        "tpuref run --cores), or a device assignment for that many, built from the "
        "result of initialize_system(). `tpuref topology 4x4x2 --replicas 8` shows "
        "which fit.",
        text="""
            import tpuref as tf

            topology = tf.contrib.tpu.Topology.for_mesh(2, 2, 2)
            assignment = tf.contrib.tpu.device_assignment(topology, num_replicas=8)
            outputs = tf.tpu.replicate(
                lambda: tf.constant(1.0), [[]] * 8, device_assignment=assignment
            )
            with tf.config.override(topology="1x1x2"), tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
                sess.run(outputs)
        """,
        document="003_0632b6613bf28dbc.txt",
        replaces="E053 E056 E057 E080",
    ),
)
