"""The command ``tpuref topology``."""

import json
import math

import pytest

import tpuref as tf
from tpuref.tools.cli import main
from tpuref.tools.cli.topology import block_shape

TPU = tf.contrib.tpu


def printed(capsys, *arguments):
    assert main(["topology", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return str(captured.out)


def refused(capsys, status, *arguments):
    assert main(["topology", *arguments]) == status
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("tpuref topology: ")
    return str(captured.err)


def test_the_configured_topology_is_drawn(capsys):
    with tf.config.override(topology="4x1x2"):
        assert printed(capsys) == TPU.Topology.for_mesh(4, 1, 2).draw() + "\n"
    with tf.config.override(topology=None, cores=None):
        assert printed(capsys) == TPU.Topology.for_mesh(2, 2, 2).draw() + "\n"


def test_shape_and_stride_are_those_of_build(capsys):
    given = printed(
        capsys, "4x2x2", "--computation-shape=2x1x1", "--stride=2x1x1", "--replicas=3"
    )
    expected = TPU.DeviceAssignment.build(
        TPU.Topology.for_mesh(4, 2, 2), [2, 1, 1], [2, 1, 1], 3
    )
    assert given == expected.draw() + "\n"


@pytest.mark.parametrize(
    ("arguments", "replicas"),
    [
        (["2x2x2", "--cores-per-replica", "2"], 4),
        (["4x2x2", "--computation-shape", "3x1x1"], 4),
        (["4x2x2", "--stride", "2x1x1"], 16),
        (["2x2x2", "--replicas", "3"], 3),
    ],
)
def test_as_many_replicas_as_fit(arguments, replicas, capsys):
    assert json.loads(printed(capsys, *arguments, "--json"))["replicas"] == replicas


def test_facts_are_those_of_the_assignment(capsys):
    facts = json.loads(printed(capsys, "2x2x2", "--cores-per-replica=2", "--json"))
    topology = TPU.Topology.for_mesh(2, 2, 2)
    expected = TPU.device_assignment(topology, [1, 1, 2], num_replicas=4)
    assert facts["mesh"] == [2, 2, 2] and facts["cores"] == 8
    assert facts["tasks"] == 1 and facts["cores_per_task"] == 8
    assert facts["cores_per_replica"] == 2
    assert facts["core_assignment"] == expected.core_assignment.tolist()
    assert facts["devices"][3][1] == expected.tpu_device(3, 1)
    alone = json.loads(printed(capsys, "2x2x2", "--json"))
    assert alone["device_coordinates"] == topology.device_coordinates.tolist()
    assert "replicas" not in alone


def test_the_picture_is_written(tmp_path, capsys):
    file = tmp_path / "mesh.svg"
    assert printed(capsys, "2x2x2", "--replicas=8", "--svg", str(file)) == ""
    expected = TPU.device_assignment(TPU.Topology.for_mesh(2, 2, 2), num_replicas=8)
    assert file.read_text(encoding="utf-8") == expected.draw("svg")
    assert printed(capsys, "2x2x2", "--replicas=8", "--svg=-") == expected.draw("svg")
    assert "nowhere" in refused(capsys, 2, "--svg", str(tmp_path / "nowhere" / "a.svg"))


def test_what_does_not_fit_is_drawn(capsys):
    for arguments, message in (
        ("4x4x2 --replicas=17 --cores-per-replica=4", "room for 8"),
        ("4x4x2 --replicas=17 --cores-per-replica=4", "no cores are left from replica"),
        ("2x2x2 --cores-per-replica=3", "no block of 3 cores"),
    ):
        assert message in refused(capsys, 1, *arguments.split())


@pytest.mark.parametrize(
    "arguments",
    [
        *("2x2", "2x0x2", "2x2x2x2"),
        *("--replicas=0", "--cores-per-replica=-1", "--stride=a"),
        "--cores-per-replica=2 --computation-shape=1x1x2",
    ],
)
def test_arguments_that_are_none(arguments, capsys):
    with pytest.raises(SystemExit) as raised:
        main(["topology", *arguments.split()])
    assert raised.value.code == 2
    assert "tpuref topology: error: " in capsys.readouterr().err


def test_a_block_has_the_asked_number_of_cores_and_fits():
    mesh = (4, 4, 2)
    for cores in (1, 2, 4, 6, 8, 12, 16):
        block = block_shape(mesh, cores, 1)
        assert math.prod(block) == cores
        assert all(side <= size for side, size in zip(block, mesh, strict=True))
    assert block_shape(mesh, 3, 1) == (1, 3, 1)
    # One chip of two cores by three fits a side of three only the long way.
    assert block_shape((2, 3, 2), 6, 2) == (1, 3, 2)
    assert block_shape((3, 2, 2), 6, 2) == (3, 1, 2)
    assert block_shape(mesh, 8, 4) == (2, 2, 2)
