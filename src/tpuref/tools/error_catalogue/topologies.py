"""Topologies, device assignments and devices."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_TOPOLOGY,
        "The description of a mesh, a topology or an assignment is malformed",
        meaning="A mesh is written XxYxC: chips along x, chips along y, and cores per "
        "chip, each at least 1, at most 4194304 cores in all. The bytes of a topology "
        "cannot be parsed, or its arrays do not have the required shapes.",
        remedy="Write 2x2x2 for eight cores, pass the bytes from initialize_system "
        "unchanged, or pass arrays with the shape in the message.",
        replaces="E050",
    ),
    Entry(
        codes.INVALID_POSITION,
        "A position in the mesh does not exist or is taken",
        meaning="Coordinates are outside the mesh or at a position without a device, "
        "a number is not below that of the tasks, devices, replicas or logical cores, "
        "or two of them have one position.",
        remedy="Count from 0, and give each its own position. The message shows the "
        "size, and often a drawing; topology.missing_devices lists the gaps, and "
        "tf.contrib.tpu.device_assignment() chooses.",
        text="""
            import tpuref as tf

            topology = tf.contrib.tpu.Topology.for_mesh(1, 1, 2)
            places = [[[0, 0, 1]], [[0, 0, 1]]]
            tf.contrib.tpu.DeviceAssignment(topology, places)
        """,
        replaces="E052 E054",
    ),
    Entry(
        codes.UNKNOWN_DEVICE,
        "There is no such device",
        meaning="A name is not of the form /job:worker/task:0/device:TPU:0, or names "
        "a job, task, core or destination that does not exist where the operation "
        "runs.",
        remedy="Use tf.device(tf.tpu.core(n)) inside a replicated computation, the "
        "devices of sess.list_devices() or of the strategy outside, or no device.",
        replaces="E107 E170",
    ),
)
