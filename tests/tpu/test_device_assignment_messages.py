"""What tpuref says about an invalid device assignment, and how it draws one."""

import numpy as np
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.meshes import mesh, placed, topology_class

from ..messages import refused


def with_hole(tf):
    """Return a mesh 2x2x1 without a device at (0, 1, 0)."""
    devices = [[[0, 0, 0], [1, 0, 0], [1, 1, 0]]]
    return topology_class(tf)(mesh_shape=[2, 2, 1], device_coordinates=devices)


def pairs(tf):
    """Return two replicas of two cores on the four chips of a mesh 2x2x1."""
    cores = [[[0, 0, 0], [0, 1, 0]], [[1, 1, 0], [1, 0, 0]]]
    return tf.tpu.experimental.DeviceAssignment(mesh(tf, 2, 2, 1), np.array(cores))


def test_too_many(tf):
    build = tf.tpu.experimental.DeviceAssignment.build
    words = ["num_replicas=5", "2x2x2 has room for 4", "[1, 1, 2]", "[1, 1, 1]"]
    words.append("""
                x=0        x=1
            +---------------------+
        y=0 |[0.0  0.1] [3.0  3.1]|
        y=1 |[1.0  1.1] [2.0  2.1]|
            +---------------------+
        each core: replica.logical core; . free; x no device
        no cores are left from replica 4 on
        """)
    refused(ValueError, words, build, mesh(tf, 2, 2, 2), [1, 1, 2], num_replicas=5)
    words = ["num_replicas=3", "5x1x1 has room for 2", "[1.1]", "from replica 2 on"]
    refused(ValueError, words, build, mesh(tf, 5, 1, 1), [2, 1, 1], [2, 1, 1], 3)


def test_outside(tf):
    construct, four = tf.tpu.experimental.DeviceAssignment, mesh(tf, 2, 2, 1)
    words = ["logical core 0 of replica 1 at [0, 2, 0]", "outside mesh 2x2x1."]
    words.append("""
              x=0    x=1
            +-------------+
        y=0 |[0.0 ] [ .  ]|
        y=1 |[ .  ] [ .  ]|
            +-------------+
        y=2   1.0!
        each core: replica.logical core; . free; x no device; ! conflict
        """)
    refused(ValueError, words, construct, four, [[[0, 0, 0]], [[0, 2, 0]]])
    two = [[[0, 0, 0], [2, 0, 0]], [[0, 1, 0], [0, 0, -1]]]
    words = ["logical core 1 of replica 0 at [2, 0, 0]", "(2 such places)"]
    refused(ValueError, words, construct, four, two)
    words = ["logical core 0 of replica 1 at [0, 1, 0], where there is no device."]
    refused(ValueError, words, construct, with_hole(tf), [[[0, 0, 0]], [[0, 1, 0]]])


def test_core_index(tf):
    cores = [[[1, 1, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 0]]]
    topology = mesh(tf, 2, 2, 1, tasks=2)
    assignment = tf.tpu.experimental.DeviceAssignment(topology, np.array(cores))
    numbers = [assignment.core_index(r, k) for r in range(2) for k in range(2)]
    same(numbers, [3, 1, 2, 0])


def test_picture(tf):
    expected = [
        "2 replicas of 2 cores on mesh 2x2x1",
        "      x=0   x=1",
        "    +-----------+",
        "y=0 |[0.0] [1.1]|",
        "y=1 |[0.1] [1.0]|",
        "    +-----------+",
        "each core: replica.logical core; . free; x no device",
    ]
    same(pairs(tf).draw().splitlines(), expected)
    same(pairs(tf).draw("text").splitlines(), expected)
    single = tf.tpu.experimental.DeviceAssignment(with_hole(tf), [[[0, 0, 0]]])
    expected = [
        "1 replica of 1 core on mesh 2x2x1",
        "      x=0   x=1",
        "    +-----------+",
        "y=0 |[0.0] [ . ]|",
        "    +-----+     |",
        "y=1  [ x ]|[ . ]|",
        "          +-----+",
        "each core: replica.logical core; . free; x no device",
    ]
    same(single.draw().splitlines(), expected)
    same(repr(single), "<DeviceAssignment: 1 replica of 1 core on mesh 2x2x1>")
    none = tf.tpu.experimental.DeviceAssignment(with_hole(tf), np.zeros([0, 1, 3]))
    same(repr(none), "<DeviceAssignment: 0 replicas of 1 core on mesh 2x2x1>")
    empty = tf.tpu.experimental.DeviceAssignment(with_hole(tf), np.zeros([1, 0, 3]))
    same(repr(empty), "<DeviceAssignment: 1 replica of 0 cores on mesh 2x2x1>")
    expect_raises(ValueError, single.draw, "png")


def test_chips_of_four_cores(tf):
    build = tf.tpu.experimental.DeviceAssignment.build
    built = build(mesh(tf, 2, 1, 4), [1, 1, 2], num_replicas=4)
    same(placed(built), ["000 001", "002 003", "100 101", "102 103"])
    square = mesh(tf, 2, 2, 4)
    eight = placed(build(square, [1, 1, 2], num_replicas=8))
    same([words[:3] for words in eight[::2]], ["000", "010", "100", "110"])
    four = placed(build(square, [1, 1, 4], num_replicas=4))
    same([words[:3] for words in four], ["000", "010", "100", "110"])
