"""Topologies, device assignments and devices."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_MESH,
        "This is not a mesh",
        meaning="A mesh is written XxYxC: chips along x, chips along y, and cores "
        "per chip, each at least 1, with at most 4194304 cores in all.",
        remedy="Write 2x2x2 for eight cores; `tpuref topology 2x2x2` draws it.",
        text="""
            import tpuref as tf

            tf.contrib.tpu.Topology.parse_mesh("2x2")
        """,
    ),
    Entry(
        codes.OUTSIDE_MESH,
        "A core, replica or position does not exist",
        meaning="Coordinates are outside the mesh, or a number is not below the "
        "number of tasks, devices, replicas or logical cores.",
        remedy="Count from 0. The message shows the size, and often a drawing.",
        text="""
            import tpuref as tf

            topology = tf.contrib.tpu.Topology.for_mesh(2, 2, 2)
            topology.core_at([0, 2, 0])
        """,
    ),
    Entry(
        codes.CORE_TAKEN_TWICE,
        "Two logical cores, or two devices, have the same position",
        meaning="Each logical core of each replica needs its own core, and each "
        "device of a topology its own position.",
        remedy="Change the position that the drawing marks, or let "
        "tf.contrib.tpu.device_assignment() choose.",
        text="""
            import tpuref as tf

            topology = tf.contrib.tpu.Topology.for_mesh(1, 1, 2)
            places = [[[0, 0, 1]], [[0, 0, 1]]]
            tf.contrib.tpu.DeviceAssignment(topology, places)
        """,
    ),
    Entry(
        codes.NO_ROOM_IN_MESH,
        "The replicas do not fit into the mesh",
        meaning="The block of cores of a replica is larger than the mesh, or there "
        "are more replicas than blocks.",
        remedy="Use fewer or smaller replicas, or a larger topology. `tpuref "
        "topology 4x4x2 --replicas 8` shows what fits.",
        text="""
            import tpuref as tf

            topology = tf.contrib.tpu.Topology.for_mesh(2, 2, 2)
            tf.contrib.tpu.device_assignment(topology, num_replicas=9)
        """,
    ),
    Entry(
        codes.NO_DEVICE_THERE,
        "There is no device at this position of the mesh",
        meaning="The topology leaves positions of its mesh without a device.",
        remedy="topology.missing_devices lists these positions; use others.",
        text="""
            import tpuref as tf

            coordinates = [[[0, 0, 0]]]
            topology = tf.contrib.tpu.Topology(
                mesh_shape=[1, 1, 2], device_coordinates=coordinates
            )
            tf.contrib.tpu.DeviceAssignment(topology, [[[0, 0, 1]]])
        """,
    ),
    Entry(
        codes.REPLICAS_UNLIKE_CORES,
        "The number of replicas is neither one nor the number of cores",
        meaning="Without a device assignment, a computation has one replica, or one "
        "on each core of the initialised or configured system.",
        remedy="Pass a device_assignment, or initialise a system with that many "
        "cores: TPUREF_CORES, tf.config.cores or tpuref run --cores.",
        text="""
            import tpuref as tf

            outputs = tf.tpu.replicate(lambda x: x, [[1.0], [2.0], [3.0]])
            with tf.config.override(cores=8), tf.Session() as sess:
                sess.run(tf.tpu.initialize_system())
                sess.run(outputs)
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.ASSIGNMENT_TOO_SMALL,
        "The computation does not fit its device assignment",
        meaning="It has a different number of replicas, or places operations on "
        "logical cores that a replica does not have in the assignment.",
        remedy="Build the assignment with that many replicas, and with a "
        "computation_shape that contains the cores that the computation names.",
        text="""
            import tpuref as tf


            def computation(x):
                with tf.device(tf.tpu.core(1)):
                    return x + 1.0


            outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
            with tf.Session() as sess:
                sess.run(outputs)
        """,
        document="003_0632b6613bf28dbc.txt",
    ),
    Entry(
        codes.ASSIGNMENT_OF_OTHER_TOPOLOGY,
        "The device assignment belongs to another topology",
        meaning="It contains cores that the running system does not have.",
        remedy="Build it from the result of sess.run(tf.tpu.initialize_system()).",
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
    ),
    Entry(
        codes.INVALID_TOPOLOGY,
        "The description of a topology or an assignment is malformed",
        meaning="Its bytes cannot be parsed, or its arrays do not have the shapes "
        "that its mesh and its tasks require.",
        remedy="Pass the bytes from initialize_system unchanged, or arrays with the "
        "shape in the message.",
        text="""
            import tpuref as tf

            tf.contrib.tpu.Topology(serialized=b"no topology")
        """,
    ),
    Entry(
        codes.UNKNOWN_DEVICE,
        "There is no such device",
        meaning="tf.device places an operation on a job, task or core that does not "
        "exist where it runs.",
        remedy="Use tf.device(tf.tpu.core(n)) inside a replicated computation, the "
        "devices of sess.list_devices() outside, or no device.",
        text="""
            import tpuref as tf

            with tf.device("/job:worker/device:TPU:0"):
                x = tf.constant(1.0)
            with tf.Session() as sess:
                sess.run(x)
        """,
    ),
)
