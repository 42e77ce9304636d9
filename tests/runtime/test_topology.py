"""Topologies, their wire form and their pictures."""

from typing import Any

import numpy as np
import pytest

from tpuref.engine.runtime.topology import proto as topology_proto
from tpuref.engine.runtime.topology.proto import DecodeError, TopologyProto
from tpuref.engine.runtime.topology.topology import MeshRangeError, Topology

# What TensorFlow 1.15 writes for one host with 2x2 chips of two cores.
V2_8 = bytes.fromhex(
    "0a03020202100118082218000000000001010000010001000100000101010100010101"
)
# The same for 4x4 chips on four hosts.
V2_32 = bytes.fromhex(
    "0a03040402100418082260"
    "000000000001010000010001000100000101010100010101"
    "020000020001030000030001020100020101030100030101"
    "000200000201010200010201000300000301010300010301"
    "020200020201030200030201020300020301030300030301"
)
# What TensorFlow 2.4 writes for 2x2x1 chips of two cores: a mesh of four axes.
V4_8 = bytes.fromhex(
    "0a0402020102100118082220000000000000000101000000010000010001000000010001"
    "0101000001010001"
)


def v2_8():
    return Topology(
        mesh_shape=[2, 2, 2],
        device_coordinates=[
            [[x, y, core] for y in range(2) for x in range(2) for core in range(2)]
        ],
    )


def with_hole():
    return Topology(mesh_shape=[2, 1, 1], device_coordinates=[[[0, 0, 0]]])


def proto(**changes):
    fields: dict[str, Any] = {
        "mesh_shape": (2, 2, 2),
        "num_tasks": 1,
        "num_tpu_devices_per_task": 1,
        "device_coordinates": (0, 0, 0),
    }
    return topology_proto.encode(TopologyProto(**{**fields, **changes}))


def test_properties_of_a_v2_8():
    topology = v2_8()
    assert topology.mesh_shape.dtype == topology.device_coordinates.dtype == np.int32
    assert topology.mesh_shape.tolist() == [2, 2, 2]
    assert topology.mesh_rank == 3
    assert topology.device_coordinates.shape == (1, 8, 3)
    assert (topology.num_tasks, topology.num_tpus_per_task) == (1, 8)
    assert topology.num_cores == 8
    assert topology.missing_devices.shape == (0, 3)
    again = Topology(V2_8)
    assert again.mesh_shape.tolist() == [2, 2, 2]
    coordinates = topology.device_coordinates.tolist()
    assert again.device_coordinates.tolist() == coordinates
    assert coordinates[0][:5] == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0]]


def test_serialized_is_what_tensorflow_writes():
    topology = v2_8()
    assert topology.serialized() == V2_8
    assert topology.serialized() is topology.serialized()
    assert Topology.for_mesh(4, 4, 2).serialized() == V2_32


@pytest.mark.parametrize("data", [V2_8, V2_32, V4_8])
def test_bytes_are_read_and_given_back(data):
    assert Topology(serialized=data).serialized() == data


def test_a_mesh_of_four_axes_is_given():
    read = Topology(V4_8)
    assert read.tpu_device_name_at_coordinates([1, 1, 0, 1]) == "/task:0/device:TPU:7"
    given = Topology(
        mesh_shape=read.mesh_shape, device_coordinates=read.device_coordinates
    )
    assert given.mesh_shape.tolist() == [2, 2, 1, 2]
    assert (given.mesh_rank, given.num_tasks, given.num_tpus_per_task) == (4, 1, 8)
    assert given.serialized() == V4_8
    assert given.core_at([1, 1, 0, 1]) == 7
    assert repr(given) == repr(read) and given.draw() == read.draw()
    coordinates = [[[0, 0, 1, 0]], [[0, 0, 0, 0]]]
    tall = Topology(mesh_shape=[1, 1, 2, 1], device_coordinates=coordinates)
    assert tall.task_ordinal_at_coordinates([0, 0, 1, 0]) == 0
    assert tall.missing_devices.shape == (0, 4)


def test_arrays_cannot_be_written_and_do_not_follow_the_argument():
    mesh, coordinates = np.array([1, 1, 2]), np.array([[[0, 0, 0], [0, 0, 1]]])
    topology = Topology(mesh_shape=mesh, device_coordinates=coordinates)
    coordinates[0, 0] = 1
    assert topology.device_coordinates.tolist() == [[[0, 0, 0], [0, 0, 1]]]
    with pytest.raises(ValueError, match="read-only"):
        topology.mesh_shape[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        topology.device_coordinates[0, 0, 0] = 1


@pytest.mark.parametrize(
    ("mesh_shape", "device_coordinates", "message"),
    [
        ([2, 2], [[[0, 0]]], "mesh_shape"),
        ([1] * 5, [[[0] * 5]], "mesh_shape.*3 or 4 positive numbers"),
        ([0, 1, 1], [[[0, 0, 0]]], "mesh_shape"),
        ([-1, 1, 1], [[[0, 0, 0]]], "mesh_shape"),
        ([1, 0, 1, 1], [[[0, 0, 0, 0]]], "mesh_shape.*3 or 4 positive numbers"),
        ("abc", [[[0, 0, 0]]], "mesh_shape"),
        ([1.5, 1, 1], [[[0, 0, 0]]], "mesh_shape"),
        ([float("nan"), 1, 1], [[[0, 0, 0]]], "mesh_shape"),
        ([2**31, 1, 1], [[[0, 0, 0]]], "mesh_shape"),
        ([1, [1], 1], [[[0, 0, 0]]], "mesh_shape"),
        ([1, 1, 1], [[0, 0, 0]], "device_coordinates"),
        ([1, 1, 1], [[[0, 0]]], "device_coordinates"),
        ([1, 1, 1], [[["a", "b", "c"]]], "device_coordinates"),
        ([1, 1, 1, 1], [[[0, 0, 0]]], r"\[tasks, devices per task, 4\]"),
        ([1, 1, 1], [[[0, 0, 0, 0]]], r"\[tasks, devices per task, 3\]"),
        ([1, 1, 2, 1], [[[0, 0, 2, 0]]], "mesh"),
    ],
)
def test_meshes_and_coordinates_that_do_not_fit(
    mesh_shape, device_coordinates, message
):
    with pytest.raises(ValueError, match=message):
        Topology(mesh_shape=mesh_shape, device_coordinates=device_coordinates)


@pytest.mark.parametrize("core", [5, -1])
def test_a_device_outside_the_mesh(core):
    with pytest.raises(IndexError, match="outside mesh 1x1x1") as raised:
        Topology(mesh_shape=[1, 1, 1], device_coordinates=[[[0, 0, core]]])
    assert isinstance(raised.value, ValueError)
    assert "0:0!" in str(raised.value)


def test_two_devices_at_one_place():
    with pytest.raises(ValueError, match=r"device 0:1 .* at \[0, 0, 0\]") as raised:
        Topology(mesh_shape=[1, 1, 1], device_coordinates=[[[0, 0, 0], [0, 0, 0]]])
    assert "[0:0/0:1!]" in str(raised.value)


def test_missing_arguments():
    for arguments in (
        *({}, {"serialized": b""}, {"mesh_shape": [2, 2, 2]}),
        {"device_coordinates": [[[0, 0, 0]]]},
    ):
        with pytest.raises(TypeError, match="both mesh_shape and device_coordinates"):
            Topology(**arguments)


class Unevaluated:
    """Like a symbolic tensor, it has no truth value."""

    def __bool__(self):
        raise TypeError("no truth value")


@pytest.mark.parametrize("serialized", ["abc", Unevaluated(), bytearray(V2_8)])
def test_serialized_must_be_bytes(serialized):
    with pytest.raises(TypeError, match=r"Session\.run first"):
        Topology(serialized=serialized)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mesh_shape": (2, 2)}, "mesh_shape in serialized"),
        ({"mesh_shape": (1, 1, 1, 1, 1)}, "mesh_shape in serialized"),
        ({"mesh_shape": (0, 0, 0)}, "mesh_shape in serialized"),
        ({"num_tasks": -1}, "must be 0 or more, got -1 and 1"),
        ({"num_tpu_devices_per_task": -1}, "must be 0 or more, got 1 and -1"),
        ({"device_coordinates": (0,)}, "must be 3 numbers .* got 1"),
        ({"device_coordinates": (-1, -1, -1)}, "outside mesh 2x2x2"),
        ({"device_coordinates": (0, 0, 2)}, "outside mesh 2x2x2"),
    ],
)
def test_faulty_protos(changes, message):
    with pytest.raises(ValueError, match=message):
        Topology(serialized=proto(**changes))


def test_a_proto_without_tasks_is_accepted():
    topology = Topology(serialized=proto(num_tasks=0, device_coordinates=()))
    assert topology.device_coordinates.shape == (0, 1, 3)
    assert len(topology.missing_devices) == 8


@pytest.mark.parametrize(
    ("place", "task", "device"),
    [
        *(([0, 0, 0], 0, 0), ([0, 0, 1], 0, 1), ([1, 0, 0], 0, 2), ([0, 1, 0], 0, 4)),
        *(([3, 3, 1], 3, 7), ([2, 0, 0], 1, 0), (np.array([0, 2, 0], np.int32), 2, 0)),
    ],
)
def test_lookups_on_four_hosts(place, task, device):
    topology = Topology(V2_32)
    assert topology.task_ordinal_at_coordinates(place) == task
    assert topology.tpu_device_ordinal_at_coordinates(place) == device
    for kind, number in (("cpu", 0), ("tpu", device)):
        name = f"/task:{task}/device:{kind.upper()}:{number}"
        lookup = getattr(topology, f"{kind}_device_name_at_coordinates")
        assert (lookup(place), lookup(place, job="w")) == (name, f"/job:w{name}")
    assert topology.core_at(place) == topology.core_index(task, device)
    assert topology.core_at(place) == task * 8 + device


def test_a_place_without_device():
    topology = with_hole()
    assert topology.missing_devices.tolist() == [[1, 0, 0]]
    name = topology.tpu_device_name_at_coordinates([1, 0, 0])
    assert name == "/task:-1/device:TPU:-1"
    with pytest.raises(MeshRangeError, match="no device is at"):
        topology.core_at([1, 0, 0])


@pytest.mark.parametrize("place", [(5, 0, 0), (0, -1, 0)])
def test_lookup_outside_the_mesh(place):
    with pytest.raises(IndexError, match="outside mesh 2x2x2") as raised:
        v2_8().tpu_device_name_at_coordinates(place)
    assert isinstance(raised.value, ValueError)
    assert "!" in str(raised.value)


def test_lookup_of_another_rank():
    with pytest.raises(ValueError, match="must be 3 integers"):
        v2_8().task_ordinal_at_coordinates((0, 0))
    with pytest.raises(TypeError, match="must be an integer"):
        v2_8().task_ordinal_at_coordinates((0, 0, 0.5))


@pytest.mark.parametrize(("task", "device"), [(1, 0), (0, 8), (-1, 0), (0, -1)])
def test_core_index_out_of_range(task, device):
    with pytest.raises(MeshRangeError, match=f"no device {device} of task {task}"):
        v2_8().core_index(task, device)


@pytest.mark.parametrize(
    ("cores", "mesh", "tasks"),
    [
        *((1, [1, 1, 1], 1), (2, [1, 1, 2], 1), (3, [3, 1, 1], 1), (4, [2, 1, 2], 1)),
        *((6, [3, 1, 2], 1), (8, [2, 2, 2], 1), (9, [3, 3, 1], 1), (16, [4, 2, 2], 2)),
        *((24, [4, 3, 2], 1), (32, [4, 4, 2], 4), (64, [8, 4, 2], 8)),
    ],
)
def test_for_cores(cores, mesh, tasks):
    topology = Topology.for_cores(cores)
    assert topology.mesh_shape.tolist() == mesh
    assert (topology.num_cores, topology.num_tasks) == (cores, tasks)
    assert topology.missing_devices.size == 0


def test_sizes_that_cannot_be():
    for build, error, message in (
        (lambda: Topology.for_cores(0), ValueError, "for_cores: n must be 1 or more"),
        (lambda: Topology.for_cores(-2), ValueError, "for_cores: n must be 1 or more"),
        (lambda: Topology.for_cores(2.0), TypeError, "n must be an integer"),
        (lambda: Topology.for_mesh(1, 0, 1), ValueError, "for_mesh: y must be 1 or"),
        (lambda: Topology.parse_mesh(8), ValueError, "written XxYxC"),
    ):
        with pytest.raises(error, match=message):
            build()


def test_for_mesh_gives_hosts_blocks_of_chips():
    topology = Topology.for_mesh(4, 2, 2)
    assert [
        [topology.task_ordinal_at_coordinates((x, y, 0)) for x in range(4)]
        for y in range(2)
    ] == [[0, 0, 1, 1], [0, 0, 1, 1]]
    assert Topology.for_mesh(3, 2, 2).num_tasks == 1


def test_a_mesh_that_is_too_large():
    for build in (
        lambda: Topology.for_cores(2**70),
        lambda: Topology.for_cores(2**22 + 1),
        lambda: Topology.for_mesh(2**11, 2**11, 2),
        lambda: Topology.for_mesh(1, 1, 2**70),
        lambda: Topology.parse_mesh("99999x99999x2"),
        lambda: Topology(proto(mesh_shape=(2**30, 2, 1))).missing_devices,
    ):
        with pytest.raises(ValueError, match="4194304"):
            build()
    assert Topology.for_mesh(100, 100, 2).num_cores == 20_000


@pytest.mark.parametrize("text", ["4x2x1", " 4X2x1 "])
def test_parse_mesh(text):
    assert Topology.parse_mesh(text) == (4, 2, 1)


@pytest.mark.parametrize(
    "text", ["", "8", "2x2", "2x2x2x2", "0x1x1", "2x2xy", "-1x1x1"]
)
def test_parse_mesh_explains_the_form(text):
    with pytest.raises(ValueError, match="such as 2x2x2 for 8 cores"):
        Topology.parse_mesh(text)


def test_repr_counts():
    whole = "<Topology mesh 4x4x2: 32 cores, 4 tasks with 8 each>"
    assert repr(Topology(V2_32)) == whole
    holed = "<Topology mesh 2x1x1: 1 core, 1 task with 1 each, 1 missing>"
    assert repr(with_hole()) == holed


def test_draw_separates_hosts():
    assert Topology.for_mesh(4, 4, 1).draw().splitlines() == [
        "mesh 4x4x1: 16 cores, 4 tasks with 4 each",
        "      x=0   x=1   x=2   x=3",
        "    +-----------+-----------+",
        "y=0 |[0:0] [0:1]|[1:0] [1:1]|",
        "y=1 |[0:2] [0:3]|[1:2] [1:3]|",
        "    +-----------+-----------+",
        "y=2 |[2:0] [2:1]|[3:0] [3:1]|",
        "y=3 |[2:2] [2:3]|[3:2] [3:3]|",
        "    +-----------+-----------+",
        "each core: task:device; x no device",
    ]


def test_draw_shows_missing_devices():
    coordinates = [[[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [1, 1, 0]]]
    topology = Topology(mesh_shape=[3, 2, 2], device_coordinates=coordinates)
    assert topology.draw().splitlines() == [
        "mesh 3x2x2: 4 cores, 2 tasks with 2 each, 8 missing",
        "        x=0        x=1        x=2",
        "    +----------+----------+",
        "y=0 |[0:0  0:1]|[1:0   x ]|[ x    x ]",
        "    +----------+          |",
        "y=1  [ x    x ]|[1:1   x ]|[ x    x ]",
        "               +----------+",
        "each core: task:device; x no device",
    ]


def test_draw_shows_layers():
    rows = [(x, 0, z, 0) for z in range(2) for x in range(2)]
    data = proto(
        mesh_shape=(2, 1, 2, 1),
        num_tpu_devices_per_task=4,
        device_coordinates=tuple(at for row in rows for at in row),
    )
    lines = Topology(data).draw().splitlines()
    assert lines[1] == "z=0"
    assert lines[4] == "y=0 |[0:0] [0:1]|"
    assert lines[6] == "z=1"
    assert lines[9] == "y=0 |[0:2] [0:3]|"


def test_a_huge_mesh_is_drawn_in_part():
    topology = Topology(proto(mesh_shape=(2**30, 2, 1)))
    with pytest.raises(MeshRangeError, match="part of mesh 1073741824x2x1") as raised:
        topology.core_at((2**30, 0, 0))
    assert len(str(raised.value)) < 4000


def test_numbers_of_the_wire_form():
    encode, decode = topology_proto.encode, topology_proto.decode
    assert encode(TopologyProto()) == b""
    assert encode(TopologyProto(num_tasks=300)) == b"\x10\xac\x02"
    negative = encode(TopologyProto(num_tasks=-1))
    assert negative == b"\x10" + b"\xff" * 9 + b"\x01"
    assert decode(negative).num_tasks == -1
    assert decode(b"\x10\x01\x10\x05").num_tasks == 5  # the last of a repeated number
    assert decode(b"\x08\x02\x0a\x02\x03\x04\x08\x05").mesh_shape == (2, 3, 4, 5)


@pytest.mark.parametrize(
    "unknown",
    [
        b"\x28\x96\x01",  # field 5, varint
        b"\x2a\x02\x08\x01",  # field 5, bytes
        b"\x31" + b"\xff" * 8,  # field 6, eight bytes
        b"\x3d" + b"\xff" * 4,  # field 7, four bytes
        b"\x43\x08\x01\x4b\x4c\x44",  # group 8 with a number and group 9 inside
        b"\x12\x01\x07",  # field 2 as bytes, which it never is
    ],
)
def test_decode_skips_unknown_fields(unknown):
    assert topology_proto.decode(unknown + V2_8) == topology_proto.decode(V2_8)


@pytest.mark.parametrize(
    "data",
    [
        *(b"\xff\xff\xff", b"\x10", b"\x10\x80", b"\x0a\x05\x01", b"\x0a\x01\x80"),
        *(b"\x31\x00", b"\x43", b"\x43\x4c", b"\x44", b"\x2f", b"\x00\x00"),
        *(b"\x10" + b"\x80" * 10 + b"\x01", b"\xf8\xff\xff\xff\xff\x01\x00"),
    ],
)
def test_decode_refuses_what_is_not_a_message(data):
    with pytest.raises(DecodeError, match="cannot read the"):
        topology_proto.decode(data)
    with pytest.raises(ValueError, match="cannot read the"):
        Topology(serialized=data)


def test_a_truncated_v2_8_never_keeps_cores():
    for size in range(1, len(V2_8)):
        if size in (5, 7):  # the ends of fields
            assert Topology(serialized=V2_8[:size]).num_cores == 0
        else:
            with pytest.raises(ValueError, match="Topology"):
                Topology(serialized=V2_8[:size])
