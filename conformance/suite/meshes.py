"""Topologies to place replicas on, and a short way to write where they are."""

import itertools

import numpy as np

from ..clause import Unavailable


def mesh(tf, *sizes, tasks=1):
    """Return the topology of a mesh with a device on every core.

    Devices are numbered along the last axis first; each task has as many.
    """
    cores = list(itertools.product(*[range(size) for size in sizes]))
    assert len(cores) * len(sizes) < 128, "the sizes below are of one byte each"
    message = [0x0A, len(sizes)] + list(sizes)
    message += [0x10, tasks, 0x18, len(cores) // tasks]
    message += [0x22, len(cores) * len(sizes)] + list(itertools.chain(*cores))
    return topology_class(tf)(serialized=bytes(message))


def topology_class(tf):
    """Return the class that reads a serialized topology."""
    for path in (("contrib", "tpu", "Topology"), ("tpu", "experimental", "Topology")):
        holder = tf
        for name in path:
            holder = getattr(holder, name, None)
        if holder is not None:
            return holder
    raise Unavailable("no Topology to place replicas on")


def placed(assignment):
    """Return a word for each replica: the coordinates of its logical cores.

    ``"000 001"`` is a replica on the cores (0, 0, 0) and (0, 0, 1).
    """
    return [
        " ".join("".join(str(number) for number in core) for core in replica)
        for replica in np.asarray(assignment.core_assignment).tolist()
    ]


def built(tf, sizes, shape=None, stride=None, replicas=1):
    """Return where the replicas are placed on a mesh of these sizes."""
    build = tf.tpu.experimental.DeviceAssignment.build
    return placed(build(mesh(tf, *sizes), shape, stride, replicas))
