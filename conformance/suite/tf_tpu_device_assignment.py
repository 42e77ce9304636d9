"""Checks of DeviceAssignment, which the tf.tpu page names and does not describe.

What is checked is what release 1.15 does.
"""

import numpy as np

from ..clause import expect_raises, same
from .meshes import mesh
from .page import Page

page = Page("tf.tpu.experimental.DeviceAssignment")


def pairs(tf):
    """Return two replicas of two cores, on a mesh 2x2x1 of two tasks.

    Task 0 has the cores with x = 0, task 1 those with x = 1.
    """
    return tf.tpu.experimental.DeviceAssignment(
        mesh(tf, 2, 2, 1, tasks=2),
        np.array([[[1, 1, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 0]]]),
    )


@page.clause("/property/what-was-given")
def what_was_given(tf):
    topology = mesh(tf, 2, 2, 1)
    cores = [[[1, 1, 0], [0, 1, 0], [1, 0, 0]]]
    assignment = tf.tpu.experimental.DeviceAssignment(topology, np.array(cores))
    assert assignment.topology is topology, repr(assignment.topology)
    same(assignment.core_assignment, cores)
    same(np.asarray(assignment.core_assignment).dtype.name, "int32")
    same(assignment.num_replicas, 1)
    same(assignment.num_cores_per_replica, 3)
    same(pairs(tf).num_replicas, 2)
    same(pairs(tf).num_cores_per_replica, 2)


@page.clause(".coordinates/returns/tuple")
def coordinates(tf):
    assignment = pairs(tf)
    for replica, logical_core, place in (
        (0, 0, (1, 1, 0)),
        (0, 1, (0, 1, 0)),
        (1, 0, (1, 0, 0)),
        (1, 1, (0, 0, 0)),
        (-1, 0, (1, 0, 0)),
        (-2, -2, (1, 1, 0)),
    ):
        at = assignment.coordinates(replica, logical_core)
        assert isinstance(at, tuple), repr(at)
        same(at, place, call=f"coordinates({replica}, {logical_core})")


@page.clause(".coordinates/raises/no-such-core")
def no_such_core(tf):
    assignment = pairs(tf)
    for replica, logical_core in ((2, 0), (-3, 0), (0, 2), (0, -3), (7, 7)):
        expect_raises(IndexError, assignment.coordinates, replica, logical_core)


@page.clause(".tpu_device/returns/device-names")
def device_names(tf):
    assignment = pairs(tf)
    same(assignment.tpu_device(), "/task:1/device:TPU:1")
    same(assignment.tpu_device(0, 1), "/task:0/device:TPU:1")
    same(assignment.tpu_device(replica=1), "/task:1/device:TPU:0")
    same(assignment.tpu_device(1, 1, job="w"), "/job:w/task:0/device:TPU:0")
    same(assignment.host_device(), "/task:1/device:CPU:0")
    same(assignment.host_device(0, 1), "/task:0/device:CPU:0")
    same(assignment.host_device(replica=1), "/task:1/device:CPU:0")
    same(assignment.host_device(1, 1, job="w"), "/job:w/task:0/device:CPU:0")
    ordinals = [assignment.tpu_ordinal(), assignment.tpu_ordinal(logical_core=1)]
    ordinals += [assignment.tpu_ordinal(1), assignment.tpu_ordinal(1, 1)]
    same(ordinals, [1, 1, 0, 0])


@page.clause(".lookup_replicas/returns/sorted-list")
def lookup_replicas(tf):
    same(pairs(tf).lookup_replicas(1, 0), [0, 1])
    same(pairs(tf).lookup_replicas(task_id=0, logical_core=1), [0, 1])
    cores = np.array([[[1, 1, 0]], [[0, 1, 0]], [[1, 0, 0]]])
    singles = tf.tpu.experimental.DeviceAssignment(mesh(tf, 2, 2, 1, tasks=2), cores)
    same(singles.lookup_replicas(0, 0), [1])
    same(singles.lookup_replicas(1, 0), [0, 2])
    expect_raises(ValueError, singles.lookup_replicas, 2, 0)
    expect_raises(ValueError, singles.lookup_replicas, 0, 1)
    expect_raises(ValueError, pairs(tf).lookup_replicas, 0, 0)


@page.clause("/raises/topology-or-shape")
def topology_or_shape(tf):
    construct = tf.tpu.experimental.DeviceAssignment
    topology = mesh(tf, 2, 2, 1)
    for wrong in ("mesh", None, [2, 2, 1]):
        expect_raises(ValueError, construct, wrong, [[[0, 0, 0]]])
    for shape in ([3], [1, 3], [1, 1, 2], [1, 1, 4], [1, 1, 1, 3]):
        expect_raises(ValueError, construct, topology, np.zeros(shape, np.int32))
