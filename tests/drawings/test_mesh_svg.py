"""Meshes as SVG."""

import re
from xml.etree import ElementTree

import pytest

from tpuref.engine.drawings.svg import COLOURS, Picture
from tpuref.engine.runtime.topology.proto import TopologyProto, encode
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.tpu.device_assignment import DeviceAssignment, device_assignment

NAMES = {"s": "http://www.w3.org/2000/svg"}


def parsed(svg):
    return ElementTree.fromstring(svg)


def texts(root):
    return [node.text or "" for node in root.findall(".//s:text", NAMES)]


def cores(root):
    """Return the rectangle of each core by the note about it."""
    found = {}
    for node in root.findall(".//s:rect", NAMES):
        note = node.find("s:title", NAMES)
        if note is not None:
            assert note.text is not None
            found[note.text] = node
    return found


def cube(x, y, z):
    places = [(a, b, c, 0) for c in range(z) for b in range(y) for a in range(x)]
    flat = tuple(at for place in places for at in place)
    return Topology(encode(TopologyProto((x, y, z, 1), 1, x * y * z, flat)))


def test_text_is_escaped_and_stays_text():
    picture = Picture("<title> & more", 'a "description"')
    picture.text(1, 2, "</svg><script>alert(1)</script>")
    picture.rectangle(0, 0, 5, 5, note="<&>")
    svg = picture.svg(10, 20)
    root = parsed(svg)
    assert texts(root) == ["</svg><script>alert(1)</script>"]
    assert "<script" not in svg
    assert root.findtext("s:title", None, NAMES) == "<title> & more"
    assert root.findtext("s:desc", None, NAMES) == 'a "description"'
    assert (root.get("viewBox"), root.get("role")) == ("0 0 10 20", "img")


def test_every_core_has_its_replica_logical_core_and_device():
    assignment = device_assignment(Topology.for_mesh(4, 2, 2), [1, 1, 2], None, 8)
    root = parsed(assignment.draw("svg"))
    drawn = cores(root)
    assert len(drawn) == 16
    for replica in range(8):
        for core in range(2):
            place = assignment.coordinates(replica, core)
            note = (
                f"replica {replica}, logical core {core}: "
                f"({','.join(map(str, place))}): "
                f"core {assignment.core_index(replica, core)}, "
                f"{assignment.tpu_device(replica, core)}"
            )
            assert drawn[note].get("fill") == COLOURS[replica].fill
            assert f"{replica}.{core}" in texts(root)
    assert root.findtext("s:title", "", NAMES) == "8 replicas of 2 cores on mesh 4x2x2"
    assert "replica 3, logical core 1: (" in root.findtext("s:desc", "", NAMES)


def placed(cores, replicas):
    topology = Topology.for_cores(cores)
    return parsed(device_assignment(topology, num_replicas=replicas).draw("svg"))


def test_the_legend_names_the_replicas_of_each_colour():
    legend = texts(placed(10, 10))
    assert "replica 0, 8" in legend and "replica 7" in legend
    assert not any("free" in line or "no device" in line for line in legend)
    assert "replica 1, 9, ..." in texts(placed(32, 32))
    root = placed(4, 1)  # free cores have no colour
    free = [node for note, node in cores(root).items() if "replica" not in note]
    assert len(free) == 3 and {node.get("fill") for node in free} == {"none"}
    assert "· free" in texts(root)


def test_hosts_are_named_once_and_outlined():
    root = parsed(Topology.for_mesh(4, 4, 2).draw("svg"))
    for host in range(4):
        assert texts(root).count(f"host {host}") == 2  # where it begins, and the legend
    (outline,) = root.findall("s:path", NAMES)
    segments = re.findall(r"M(\d+) (\d+)L(\d+) (\d+)", outline.get("d", ""))
    assert len(segments) == 4 * 4 + 2 * 4  # around all chips, and a cross between hosts


def test_a_place_without_device_is_dashed():
    topology = Topology(mesh_shape=[2, 1, 1], device_coordinates=[[[0, 0, 0]]])
    root = parsed(topology.draw("svg"))
    hole = cores(root)["(1,0,0): no device"]
    assert hole.get("stroke-dasharray") and hole.get("fill") == "none"
    assert "x no device" in texts(root)


def test_cores_do_not_overlap_and_stay_inside():
    for drawn in (
        device_assignment(Topology.for_mesh(16, 16, 2), num_replicas=500),
        Topology.for_mesh(3, 1, 4),
        cube(4, 4, 4),
    ):
        root = parsed(drawn.draw("svg"))
        width, height = float(root.get("width", "")), float(root.get("height", ""))
        corners = set()
        for node in cores(root).values():
            x, y, w, h = (float(node.get(k, "")) for k in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
            corners.add((x, y))
        assert len(corners) == len(cores(root))
        assert width <= 1300


def test_labels_fit_their_cores():
    root = parsed(
        device_assignment(Topology.for_mesh(32, 32, 1), None, None, 1024).draw("svg")
    )
    core = next(iter(cores(root).values()))
    assert "1023.0" in texts(root)
    assert float(core.get("width", "")) >= len("1023.0") * 7


def test_layers_are_drawn_beside_each_other():
    root = parsed(cube(2, 2, 3).draw("svg"))
    titles = [n for n in root.findall("s:text", NAMES) if (n.text or "")[:2] == "z="]
    assert [title.text for title in titles] == ["z=0", "z=1", "z=2"]
    assert len({title.get("x") for title in titles}) == 3
    assert len(cores(root)) == 12


def test_part_of_a_mesh_that_is_too_large_is_drawn_and_described():
    root = parsed(Topology.for_mesh(40, 1, 1).draw("svg"))
    assert len(cores(root)) == 32
    assert "(part of the mesh)" in texts(root)
    said = parsed(Topology.for_mesh(8, 8, 2).draw("svg")).findtext("s:desc", "", NAMES)
    assert said.count("core ") == 64 and said.endswith("; and 64 more")


@pytest.mark.parametrize(
    "drawn", [Topology.for_cores(2), DeviceAssignment.build(Topology.for_cores(2))]
)
def test_a_notebook_shows_the_picture(drawn):
    assert drawn._repr_html_() == drawn.draw("svg")
    with pytest.raises(ValueError, match="'text' or 'svg', got 'png'"):
        drawn.draw("png")
