"""Device assignments: placement, lookups, faults and their pictures."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.topology import proto as topology_proto
from tpuref.engine.runtime.topology.proto import TopologyProto
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.tpu.device_assignment import DeviceAssignment, device_assignment

ORACLE = Path(__file__).parents[2].parent / "shared" / "oracle" / "topology.json"

SMALL = Topology.for_mesh(2, 2, 2)
LARGE = Topology.for_mesh(4, 4, 2)


def pairs():
    return device_assignment(LARGE, computation_shape=[1, 1, 2], num_replicas=16)


def in_four_axes(topology):
    """The same system as releases from 2.4 on describe it."""
    x, y, cores = topology.mesh_shape.tolist()
    coordinates = np.insert(topology.device_coordinates, 2, 0, axis=2)
    proto = TopologyProto(
        (x, y, 1, cores),
        topology.num_tasks,
        topology.num_tpus_per_task,
        tuple(coordinates.ravel().tolist()),
    )
    return Topology(topology_proto.encode(proto))


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
        pairs().core_assignment[0, 0, 0] = 1


def measured_arguments(call, rank):
    """Read the arguments that a record describes, for a mesh of this rank."""
    text = call[call.index("(") :].partition("topology")[2].partition(",")[2]
    parsed = ast.parse(f"f({text.rpartition(')')[0]})", mode="eval").body
    assert isinstance(parsed, ast.Call)
    arguments = {k.arg or "": ast.literal_eval(k.value) for k in parsed.keywords}
    stand_ins = {"RANK2": [1, 1], "SCALAR": 1}
    for name in ("computation_shape", "computation_stride"):
        value = arguments.get(name)
        if isinstance(value, str):
            arguments[name] = stand_ins[value]
        elif value is not None and rank == 4:
            arguments[name] = [value[0], value[1], 1, value[2]]
    return arguments


def measured_outcome(result):
    """The coordinates in one flat list, or the name of the exception."""
    if "raises" in result:
        return result["raises"]
    facts = result["returns"]
    if "flat" in facts:
        return facts["flat"]["items"]
    return np.array(facts["core_assignment"]["value"], np.int32).ravel().tolist()


def outcome(topology, arguments):
    try:
        assignment = device_assignment(topology, **arguments)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return assignment.core_assignment.ravel().tolist()


@pytest.mark.parametrize("version", ["1.15.5", "2.2.0", "2.4.4"])
def test_placements_of_the_measured_releases(version):
    if not ORACLE.exists():
        pytest.skip("the measurements of real releases are not beside the repository")
    topologies = {"2x2x2": SMALL, "4x4x2": LARGE}
    compared = 0
    for record in json.loads(ORACLE.read_text("utf-8")):
        group, _, rest = record["id"].removeprefix("da.fn.").partition(".")
        if group not in topologies or not rest:
            continue
        topology = topologies[group]
        if version == "2.4.4":
            topology = in_four_axes(topology)
        arguments = measured_arguments(record["call"], topology.mesh_rank)
        expected = measured_outcome(record["results"][version])
        assert outcome(topology, arguments) == expected, record["id"]
        compared += 1
    assert compared == 47


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
