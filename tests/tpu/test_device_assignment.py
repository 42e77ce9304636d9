"""Device assignments: placement, lookups, faults and their pictures."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.topology import proto as topology_proto
from tpuref.engine.runtime.topology.proto import TopologyProto
from tpuref.engine.runtime.topology.topology import MeshRangeError, Topology
from tpuref.interface.tpu.device_assignment import (
    DeviceAssignment,
    TopologyTypeError,
    device_assignment,
)

ORACLE = Path(__file__).parents[2].parent / "shared" / "oracle" / "topology.json"

SMALL = Topology.for_mesh(2, 2, 2)
LARGE = Topology.for_mesh(4, 4, 2)


def pairs() -> DeviceAssignment:
    return device_assignment(LARGE, computation_shape=[1, 1, 2], num_replicas=16)


def in_four_axes(topology: Topology) -> Topology:
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


def chips(assignment: DeviceAssignment) -> list[tuple[int, ...]]:
    """The first coordinates (x, y) of the first core of each replica."""
    return [tuple(row[:2]) for row in assignment.core_assignment[:, 0].tolist()]


def picture(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


# Placements that TensorFlow 1.15 and 2.2 were measured to choose on 2x2x2.
PLACEMENTS = [
    ({}, [[[0, 0, 0]]]),
    ({"num_replicas": 2}, [[[0, 0, 0]], [[0, 0, 1]]]),
    (
        {"num_replicas": 5},
        [[[0, 0, 0]], [[0, 0, 1]], [[0, 1, 0]], [[0, 1, 1]], [[1, 0, 0]]],
    ),
    (
        {"computation_shape": [1, 1, 2], "num_replicas": 4},
        [
            [[0, 0, 0], [0, 0, 1]],
            [[0, 1, 0], [0, 1, 1]],
            [[1, 1, 0], [1, 1, 1]],
            [[1, 0, 0], [1, 0, 1]],
        ],
    ),
    (
        {"computation_shape": [1, 1, 2], "num_replicas": 3},
        [
            [[0, 0, 0], [0, 0, 1]],
            [[0, 1, 0], [0, 1, 1]],
            [[1, 0, 0], [1, 0, 1]],
        ],
    ),
    (
        {"computation_shape": [1.0, 1.0, 2.0], "num_replicas": 2},
        [[[0, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 1]]],
    ),
    (
        {"computation_shape": [1, 2, 2], "num_replicas": 2},
        [
            [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]],
            [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]],
        ],
    ),
    (
        {"computation_shape": [2, 1, 2], "num_replicas": 2},
        [
            [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]],
            [[0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]],
        ],
    ),
    (
        {"computation_shape": [2, 2, 2]},
        [
            [
                *([0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]),
                *([1, 1, 0], [1, 1, 1], [1, 0, 0], [1, 0, 1]),
            ]
        ],
    ),
    (
        {"computation_shape": [2, 2, 1], "num_replicas": 2},
        [
            [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
            [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]],
        ],
    ),
    (
        {
            "computation_shape": [1, 1, 2],
            "computation_stride": [2, 1, 1],
            "num_replicas": 4,
        },
        [
            [[0, 0, 0], [0, 0, 1]],
            [[0, 1, 0], [0, 1, 1]],
            [[1, 0, 0], [1, 0, 1]],
            [[1, 1, 0], [1, 1, 1]],
        ],
    ),
    (
        {
            "computation_shape": [2, 1, 1],
            "computation_stride": [1, 1, 2],
            "num_replicas": 4,
        },
        [
            [[0, 0, 0], [1, 0, 0]],
            [[0, 0, 1], [1, 0, 1]],
            [[0, 1, 0], [1, 1, 0]],
            [[0, 1, 1], [1, 1, 1]],
        ],
    ),
]


@pytest.mark.parametrize(("arguments", "expected"), PLACEMENTS)
def test_placements_on_eight_cores(
    arguments: dict[str, Any], expected: list[list[list[int]]]
) -> None:
    assignment = device_assignment(SMALL, **arguments)
    assert assignment.core_assignment.dtype == np.int32
    assert assignment.core_assignment.tolist() == expected
    assert assignment.num_replicas == len(expected)
    assert assignment.num_cores_per_replica == len(expected[0])


def test_build_is_the_function() -> None:
    built = DeviceAssignment.build(SMALL, [1, 1, 2], [2, 1, 1], 4)
    computed = device_assignment(SMALL, [1, 1, 2], [2, 1, 1], 4)
    assert (built.core_assignment == computed.core_assignment).all()


def test_one_core_replicas_stay_near_a_cube() -> None:
    cores = device_assignment(LARGE, num_replicas=6).core_assignment[:, 0].tolist()
    assert cores == [
        [0, 0, 0],
        [0, 0, 1],
        [0, 1, 0],
        [0, 1, 1],
        [1, 0, 0],
        [1, 0, 1],
    ]


def test_full_replication_with_both_cores_is_a_ring() -> None:
    column = [(0, 0), (0, 1), (0, 2), (0, 3)]
    snake = [(1, 3), (1, 2), (1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (3, 2), (3, 1)]
    home = [(3, 0), (2, 0), (1, 0)]
    assert chips(pairs()) == column + snake + home


def test_blocks_and_their_cores_both_follow_a_ring() -> None:
    assignment = device_assignment(LARGE, [2, 2, 2], num_replicas=4)
    assert chips(assignment) == [(0, 0), (0, 2), (2, 2), (2, 0)]
    second = [tuple(row) for row in assignment.core_assignment[1].tolist()]
    assert second == [
        (x, y, core) for x, y in ((0, 2), (0, 3), (1, 3), (1, 2)) for core in range(2)
    ]


def test_partial_replication_is_no_ring() -> None:
    assignment = device_assignment(LARGE, [2, 2, 2], num_replicas=3)
    assert chips(assignment) == [(0, 0), (0, 2), (2, 0)]


def test_an_odd_number_of_columns_is_walked_row_by_row() -> None:
    assignment = device_assignment(Topology.for_mesh(3, 2, 2), [1, 1, 2], None, 6)
    assert chips(assignment) == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]


def test_a_single_column_is_walked_straight() -> None:
    assignment = device_assignment(Topology.for_mesh(1, 3, 2), [1, 1, 2], None, 3)
    assert chips(assignment) == [(0, 0), (0, 1), (0, 2)]


def test_chips_of_four_cores_hold_two_pairs_each() -> None:
    assignment = device_assignment(Topology.for_mesh(2, 1, 4), [1, 1, 2], None, 4)
    first = assignment.core_assignment[:, 0].tolist()
    assert first == [[0, 0, 0], [0, 0, 2], [1, 0, 0], [1, 0, 2]]


def test_no_replica() -> None:
    assignment = device_assignment(SMALL, num_replicas=0)
    assert assignment.core_assignment.shape == (0, 1, 3)


def test_a_mesh_of_four_axes_goes_along_x_first() -> None:
    small = in_four_axes(SMALL)
    some = device_assignment(small, num_replicas=4)
    assert some.core_assignment[:, 0].tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [1, 0, 0, 1],
    ]
    ring = device_assignment(small, [1, 1, 1, 2], num_replicas=4)
    assert chips(ring) == [(0, 0), (1, 0), (1, 1), (0, 1)]


def test_serialized_topology() -> None:
    assignment = device_assignment(SMALL.serialized(), num_replicas=2)
    assert assignment.core_assignment.tolist() == [[[0, 0, 0]], [[0, 0, 1]]]
    assert DeviceAssignment(SMALL.serialized(), [[[0, 0, 0]]]).topology.num_cores == 8


def test_topology_is_the_object_given() -> None:
    assert device_assignment(SMALL).topology is SMALL
    assert DeviceAssignment(SMALL, [[[0, 0, 0]]]).topology is SMALL


def construct(topology: Any) -> DeviceAssignment:
    return DeviceAssignment(topology, [[[0, 0, 0]]])


@pytest.mark.parametrize("make", [device_assignment, DeviceAssignment.build, construct])
@pytest.mark.parametrize("topology", ["x", None, [1], object()])
def test_wrong_topology_type(make: Any, topology: Any) -> None:
    with pytest.raises(TypeError, match=r"Session\.run first") as raised:
        make(topology)
    assert type(raised.value) is TopologyTypeError
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize("name", ["computation_shape", "computation_stride"])
@pytest.mark.parametrize(
    "value", [[1, 1], 1, [0, 1, 1], [-1, 1, 1], "abc", [1, 1, 0.5]]
)
def test_wrong_sizes(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"device_assignment: {name} must be"):
        device_assignment(SMALL, **{name: value})


@pytest.mark.parametrize("count", ["2", 2.0, None])
def test_number_of_replicas_must_be_an_integer(count: Any) -> None:
    with pytest.raises(TypeError, match="num_replicas must be an integer"):
        device_assignment(SMALL, num_replicas=count)


def test_negative_number_of_replicas() -> None:
    with pytest.raises(ValueError, match="num_replicas must be 0 or more, got -1"):
        device_assignment(SMALL, num_replicas=-1)


def test_a_block_that_does_not_fit_is_drawn() -> None:
    with pytest.raises(ValueError, match="does not fit into mesh 2x2x2") as raised:
        device_assignment(SMALL, computation_shape=[3, 1, 1])
    assert str(raised.value).endswith(
        picture(
            """
                   x=0      x=1      x=2
                +-----------------+
            y=0 |[#   . ] [#   . ]| #!
            y=1 |[.   . ] [.   . ]|
                +-----------------+
            each core: # in the block of one replica; ! outside the mesh
            """
        )
    )


@pytest.mark.parametrize(
    ("shape", "stride"), [([1, 1, 1], [3, 1, 1]), ([2, 1, 1], [2, 1, 1])]
)
def test_the_stride_counts_for_the_fit(shape: list[int], stride: list[int]) -> None:
    with pytest.raises(ValueError, match="does not fit into mesh 2x2x2"):
        device_assignment(SMALL, shape, stride)


def test_a_vast_block_is_drawn_in_part() -> None:
    with pytest.raises(ValueError, match="does not fit") as raised:
        device_assignment(SMALL, [2**31 - 1] * 3, [2**31 - 1] * 3)
    assert len(str(raised.value)) < 2000


def test_more_replicas_than_fit_are_drawn() -> None:
    with pytest.raises(ValueError, match="room for 4 of computation_shape") as raised:
        device_assignment(SMALL, [1, 1, 2], num_replicas=5)
    assert str(raised.value).endswith(
        picture(
            """
                    x=0        x=1
                +---------------------+
            y=0 |[0.0  0.1] [3.0  3.1]|
            y=1 |[1.0  1.1] [2.0  2.1]|
                +---------------------+
            each core: replica.logical core; . free; x no device
            no cores are left from replica 4 on
            """
        )
    )


@pytest.mark.parametrize("cores", [[[0, 0, 0]], [[[0, 0]]], [[[[[0, 0, 0]]]]], 1])
def test_wrong_shapes_of_core_assignment(cores: Any) -> None:
    with pytest.raises(ValueError, match=r"\[replicas, cores per replica, 3\]"):
        DeviceAssignment(SMALL, cores)


def test_core_assignment_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="core_assignment must be .* whole numbers"):
        DeviceAssignment(SMALL, [[["a", "a", "a"]]])


def test_empty_core_assignment() -> None:
    assert DeviceAssignment(SMALL, np.zeros((0, 1, 3))).num_replicas == 0


def test_two_replicas_on_one_core_are_drawn() -> None:
    with pytest.raises(
        ValueError, match="the place of logical core 0 of replica 1"
    ) as (raised):
        DeviceAssignment(SMALL, [[[0, 0, 0]], [[0, 0, 0]], [[1, 1, 1]]])
    assert str(raised.value).endswith(
        picture(
            """
                         x=0                  x=1
                +-----------------------------------------+
            y=0 |[0.0/1.0!     .    ] [   .         .    ]|
            y=1 |[   .         .    ] [   .        2.0   ]|
                +-----------------------------------------+
            each core: replica.logical core; . free; x no device; ! conflict
            """
        )
    )


def test_a_crowd_on_one_core_is_counted() -> None:
    with pytest.raises(ValueError, match=r"0\.0/1\.0/\+8!"):
        DeviceAssignment(SMALL, [[[0, 0, 0]]] * 10)


def test_two_logical_cores_of_a_replica_on_one_core() -> None:
    with pytest.raises(ValueError, match="the place of logical core 1 of replica 0"):
        DeviceAssignment(SMALL, [[[0, 0, 0], [0, 0, 0]]])


def test_a_place_outside_the_mesh_is_drawn() -> None:
    with pytest.raises(IndexError, match="outside mesh 2x2x2") as raised:
        DeviceAssignment(SMALL, [[[0, 0, 0]], [[9, 0, 0]]])
    assert isinstance(raised.value, ValueError)
    assert str(raised.value).endswith(
        picture(
            """
                     x=0          x=1          x=9
                +-------------------------+
            y=0 |[0.0    .  ] [ .     .  ]| 1.0!
            y=1 |[ .     .  ] [ .     .  ]|
                +-------------------------+
            each core: replica.logical core; . free; x no device; ! conflict
            """
        )
    )


def test_negative_coordinates_are_outside() -> None:
    with pytest.raises(MeshRangeError, match=r"at \[0, 0, -1\]"):
        DeviceAssignment(SMALL, [[[0, 0, -1]]])


def test_a_place_without_device_is_drawn() -> None:
    topology = Topology(mesh_shape=[2, 1, 1], device_coordinates=[[[0, 0, 0]]])
    with pytest.raises(ValueError, match="where there is no device") as raised:
        device_assignment(topology, num_replicas=2)
    assert "[1.0!]" in str(raised.value)


# Measured on TensorFlow 1.15: replica, logical core, coordinates, ordinal, task.
LOOKUPS = [
    (0, 0, (0, 0, 0), 0, 0),
    (0, 1, (0, 0, 1), 1, 0),
    (1, 0, (0, 1, 0), 4, 0),
    (5, 1, (1, 2, 1), 3, 2),
    (15, 0, (1, 0, 0), 2, 0),
    (-1, 0, (1, 0, 0), 2, 0),
]


@pytest.mark.parametrize(("replica", "core", "place", "ordinal", "task"), LOOKUPS)
def test_lookups(
    replica: int, core: int, place: tuple[int, ...], ordinal: int, task: int
) -> None:
    assignment = pairs()
    cpu, tpu = f"/task:{task}/device:CPU:0", f"/task:{task}/device:TPU:{ordinal}"
    assert assignment.coordinates(replica, core) == place
    assert assignment.tpu_ordinal(replica, core) == ordinal
    assert assignment.host_device(replica, core) == cpu
    assert assignment.host_device(replica, core, job="w") == f"/job:w{cpu}"
    assert assignment.tpu_device(replica, core) == tpu
    assert assignment.tpu_device(replica, core, job="w") == f"/job:w{tpu}"
    assert assignment.core_index(replica, core) == task * 8 + ordinal


def test_lookups_without_arguments() -> None:
    assignment = device_assignment(SMALL, num_replicas=8)
    assert assignment.host_device() == "/task:0/device:CPU:0"
    assert assignment.tpu_device() == "/task:0/device:TPU:0"
    assert assignment.tpu_ordinal() == 0


@pytest.mark.parametrize(("replica", "core"), [(99, 0), (-17, 0), (0, 2), (0, -3)])
def test_lookups_out_of_range(replica: int, core: int) -> None:
    with pytest.raises(IndexError, match="numbered from 0") as raised:
        pairs().tpu_device(replica, core)
    assert isinstance(raised.value, ValueError)


def test_lookup_replicas() -> None:
    expected = [[0, 1, 6, 15], [7, 12, 13, 14], [2, 3, 4, 5], [8, 9, 10, 11]]
    assignment = pairs()
    for core in range(2):
        found = [assignment.lookup_replicas(task, core) for task in range(4)]
        assert found == expected


@pytest.mark.parametrize(("task", "core"), [(9, 0), (0, 9), (-1, 0)])
def test_lookup_replicas_finds_none(task: int, core: int) -> None:
    with pytest.raises(ValueError, match=f"logical core {core} on task {task}"):
        pairs().lookup_replicas(task, core)


def test_core_index_of_reversed_cores() -> None:
    topology = Topology.for_cores(4)
    places = topology.device_coordinates.reshape(4, 1, 3)
    assignment = DeviceAssignment(topology, places[::-1])
    assert [assignment.core_index(replica, 0) for replica in range(4)] == [3, 2, 1, 0]


def test_core_assignment_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        pairs().core_assignment[0, 0, 0] = 1


def test_draw_and_repr() -> None:
    assignment = device_assignment(Topology.for_mesh(4, 2, 1), num_replicas=3)
    assert repr(assignment) == (
        "<DeviceAssignment: 3 replicas of 1 core on mesh 4x2x1>"
    )
    assert assignment.draw() == picture(
        """
        3 replicas of 1 core on mesh 4x2x1
              x=0   x=1   x=2   x=3
            +-----------+-----------+
        y=0 |[0.0] [2.0]|[ . ] [ . ]|
        y=1 |[1.0] [ . ]|[ . ] [ . ]|
            +-----------+-----------+
        each core: replica.logical core; . free; x no device
        """
    )


def measured_arguments(call: str, rank: int) -> dict[str, Any]:
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


def measured_outcome(result: dict[str, Any]) -> Any:
    """The coordinates in one flat list, or the name of the exception."""
    if "raises" in result:
        return result["raises"]
    facts = result["returns"]
    if "flat" in facts:
        return facts["flat"]["items"]
    return np.array(facts["core_assignment"]["value"], np.int32).ravel().tolist()


def outcome(topology: Topology, arguments: dict[str, Any]) -> Any:
    try:
        assignment = device_assignment(topology, **arguments)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return assignment.core_assignment.ravel().tolist()


@pytest.mark.parametrize("version", ["1.15.5", "2.2.0", "2.4.4"])
def test_placements_of_the_measured_releases(version: str) -> None:
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
def test_an_assignment_on_four_axes_runs(cores: int | None) -> None:
    given = Topology(
        mesh_shape=[2, 1, 1, 2],
        device_coordinates=[[[x, 0, 0, c] for x in range(2) for c in range(2)]],
    )
    explicit = DeviceAssignment(
        given, [[[1, 0, 0, 0], [1, 0, 0, 1]], [[0, 0, 0, 0], [0, 0, 0, 1]]]
    )
    computed = device_assignment(given, [1, 1, 1, 2], num_replicas=2)
    assert computed.core_assignment.shape == (2, 2, 4)

    def computation(x: Any) -> Any:
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
