"""Device assignments: placement, lookups, faults and their pictures."""

import pytest

import tpuref as tf
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.tpu.device_assignment import DeviceAssignment, device_assignment

SMALL = Topology.for_mesh(2, 2, 2)


def test_serialized_topology():
    assert DeviceAssignment(SMALL.serialized(), [[[0, 0, 0]]]).topology.num_cores == 8


def test_a_vast_block_is_drawn_in_part():
    with pytest.raises(ValueError, match="does not fit") as raised:
        device_assignment(SMALL, [2**31 - 1] * 3, [2**31 - 1] * 3)
    assert len(str(raised.value)) < 2000


def test_core_assignment_must_be_numbers():
    with pytest.raises(ValueError, match="core_assignment must be .* whole numbers"):
        DeviceAssignment(SMALL, [[["a", "a", "a"]]])


def test_core_assignment_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        device_assignment(SMALL, num_replicas=4).core_assignment[0, 0, 0] = 1


@pytest.mark.parametrize("cores", [4, None])
def test_an_assignment_on_four_axes_runs(cores):
    given = Topology(
        mesh_shape=[2, 1, 1, 2],
        device_coordinates=[[[x, 0, 0, c] for x in range(2) for c in range(2)]],
    )
    explicit = DeviceAssignment(
        given, [[[1, 0, 0, 0], [1, 0, 0, 1]], [[0, 0, 0, 0], [0, 0, 0, 1]]]
    )
    computed = device_assignment(given, [1, 1, 1, 2], num_replicas=2)
    assert computed.core_assignment.shape == (2, 2, 4)

    def computation(x):
        with tf.device(tf.tpu.core(1)):
            return tf.tpu.cross_replica_sum(x + 1)

    flat = Topology.for_mesh(2, 1, 2)
    older = DeviceAssignment(flat, [[[0, 0, 1], [0, 0, 0]], [[1, 0, 0], [1, 0, 1]]])
    with tf.Graph().as_default(), tf.config.override(cores=cores), tf.Session() as run:
        for assignment in (explicit, computed, older):
            out = tf.tpu.replicate(
                computation, [[1.0], [2.0]], device_assignment=assignment
            )
            assert run.run(out) == [(5.0,), (5.0,)]
        run.run(tf.tpu.shutdown_system())
