"""Drawings of graphs."""

import os
import re
import shutil
import subprocess
from importlib import metadata
from xml.etree import ElementTree

import pytest

import tpuref as tf
from tpuref.engine.drawings import dot
from tpuref.engine.graph.tower_placement import TowerPlacement
from tpuref.engine.ops.tpu import Replication

NODE = re.compile(r'^ *"(?P<name>[^"]*)" \[label="(?P<label>[^"]*)"', re.MULTILINE)
ARROW = re.compile(r'^ *"([^"]*)" -> "([^"]*)"(?: \[(.*)\])?;$', re.MULTILINE)


@pytest.fixture
def graph():
    with tf.Graph().as_default() as opened:
        yield opened


def nodes(drawing):
    found = NODE.finditer(drawing.dot)
    return {node["name"]: node["label"].split("\\n") for node in found}


def arrows(drawing):
    return {(a, b): rest for a, b, rest in ARROW.findall(drawing.dot)}


def frames(drawing):
    """Return the frames around each node, from the outermost to the innermost."""
    around: list[str] = []
    found = {}
    for line in drawing.dot.splitlines()[1:]:
        if line.endswith("{"):
            around.append("")
        elif line.strip() == "}":
            around = around[:-1]
        elif line.strip().startswith("graph [label="):
            around[-1] = line.split('"')[1]
        elif node := NODE.match(line):
            found[node["name"]] = list(around)
    return found


def two_cores(x):
    with tf.device(tf.tpu.core(1)):
        y = tf.multiply(x, 2.0, name="doubled")
    return tf.tpu.cross_replica_sum(y)


def test_nodes_have_type_name_shape_and_dtype(graph):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.matmul(x, tf.zeros([3, 2]), name="y")
    drawn = nodes(graph.draw())
    assert drawn["x"] == ["Placeholder", "x", "float32[?,3]"]
    assert drawn["y"] == ["MatMul", "y", "float32[?,2]"]
    assert ("x", "y") in arrows(graph.draw())
    assert nodes(graph.draw(y)) == drawn


def test_constants_and_variables_show_what_they_are(graph):
    tf.constant(2.5, name="rate")
    tf.split(tf.constant([1, 2, 3, 4], name="four"), 2, name="halves")
    w = tf.get_variable("layer/w", initializer=tf.zeros([2]))
    w.assign_add([1.0, 1.0])
    drawn = nodes(graph.draw())
    assert drawn["rate"] == ["Const", "rate", "= 2.5", "float32[]"]
    assert drawn["four"] == ["Const", "four", "int32[4]"]
    assert "2 x int32[2]" in drawn["halves"]
    assert ["AssignAdd", "layer/w", "float32[2]"] in drawn.values()


def test_fetches_leave_out_what_they_do_not_need(graph):
    tf.constant(1.0, name="unused")
    first = tf.constant(2.0, name="first")
    with tf.control_dependencies([tf.constant(3.0, name="awaited")]):
        second = tf.identity(first, name="second")
    drawing = graph.draw({"second": [second]})
    assert set(nodes(drawing)) == {"first", "awaited", "second"}
    assert "dashed" in arrows(drawing)["awaited", "second"]
    assert 'digraph "graph of 3 operations"' in drawing.dot
    assert set(nodes(graph.draw(first.op))) == {"first"}


def test_each_logical_core_has_a_frame(graph):
    topology = tf.contrib.tpu.Topology.for_mesh(2, 2, 2)
    pairs = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=4)
    out = tf.tpu.replicate(two_cores, [[1.0]] * 4, device_assignment=pairs)
    around = frames(graph.draw(out))
    cores = [
        ", ".join(str(pairs.core_index(replica, core)) for replica in range(4))
        for core in range(2)
    ]
    outer = "cluster: 4 replicas"
    assert around["CrossReplicaSum"] == [outer, f"logical core 0: cores {cores[0]}"]
    assert around["doubled"] == [outer, f"logical core 1: cores {cores[1]}"]
    assert around["cluster output 0"] == []


def test_collectives_are_marked(graph):
    tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    pairs = [[0, 1], [2, 3]]
    tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x, pairs), [[1.0]] * 4)
    drawing = graph.draw()
    drawn = nodes(drawing)
    assert drawn["CrossReplicaSum"][1] == "over all replicas"
    assert drawn["CrossReplicaSum_1"][1] == "over groups [0, 1], [2, 3]"
    marked = [line for line in drawing.dot.splitlines() if 'peripheries="2"' in line]
    assert len(marked) == 2 and all('"CrossReplicaSum' in line for line in marked)


def test_the_host_part_is_apart(graph):
    def computation(x):
        return tf.tpu.outside_compilation(lambda y: tf.add(y, 1.0, name="there"), x)

    out = tf.tpu.rewrite(computation, [1.0])
    around = frames(graph.draw(out))
    assert around["there"] == ["cluster: 1 replica", "host part 0 (on the host)"]
    assert around["input0"] == ["cluster: 1 replica", "logical core 0"]


def test_replicas_are_on_the_arrows_of_a_computation(graph):
    x = tf.zeros([8], name="x")
    out = tf.tpu.shard(lambda x: x * 2.0, [x], num_shards=4)
    drawing = graph.draw(out)
    drawn = arrows(drawing)
    split = next(a for a, b in drawn if b == "input0")
    assert drawn[split, "input0"] == 'label="replicas 0-3"'
    assert not any("shard" in name or "Replicate\\" in name for name in nodes(drawing))
    own = tf.tpu.replicate(
        lambda x: tf.negative(x, name="minus"),
        [[tf.constant(1.0, name="a")], [tf.constant(2.0, name="b")]],
    )
    drawn = arrows(graph.draw(own))
    assert drawn["a", "input0_1"] == 'label="replica 0"'
    assert drawn["b", "input0_1"] == 'label="replica 1"'


def test_outputs_that_nothing_reads_are_one_node(graph):
    out = tf.tpu.replicate(lambda x: (x, tf.negative(x, name="minus")), [[1.0]] * 3)
    drawing = graph.draw(out)
    assert nodes(drawing)["cluster output 1"] == ["output 1", "float32[]"]
    assert "replicas 0-2" in arrows(drawing)["Identity_1", "cluster output 1"]
    one = graph.draw(out[1])
    assert "replica 1" in arrows(one)["Identity_1", "cluster output 1"]


def test_what_waits_for_a_computation_waits_for_its_frame(graph):
    def computation(x):
        tf.negative(x, name="minus")

    before = tf.constant(1.0, name="before")
    with tf.control_dependencies([before]):
        out = tf.tpu.replicate(computation, [[1.0], [2.0]])
    drawn = arrows(graph.draw(out))
    assert 'lhead="cluster_0"' in drawn["before", "input0"]
    waiting = [rest for (start, _), rest in drawn.items() if start == "minus"]
    assert waiting and all('ltail="cluster_0"' in rest for rest in waiting)


def test_branches_loops_and_towers_have_frames(graph):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.cond(x > 0.0, lambda: tf.negative(x, name="minus"), lambda: x)
    z = tf.while_loop(lambda i: i < 9.0, lambda i: tf.add(i, 1.0, name="more"), [y])
    drawing = graph.draw(z)
    around = frames(drawing)
    assert around["cond/true/minus"] == ["cond/true (branch of tf.cond)"]
    assert around["while/body/more"] == ["while/body (tf.while_loop)"]
    assert ("cond/true/minus", "cond/If") in arrows(drawing)
    assert ("x", "cond/If") in arrows(drawing)
    for tower in range(2):
        with graph.in_tower(TowerPlacement(tower, Replication(2))):
            tf.constant(1.0, name=f"of_{tower}")
    around = frames(graph.draw())
    assert around["of_0"] == ["tower 0"] and around["of_1"] == ["tower 1"]


def test_a_graph_that_is_being_built_can_be_drawn(graph):
    seen = []

    def computation(x):
        y = tf.negative(x, name="minus")
        seen.append(frames(graph.draw()))
        return y

    tf.tpu.rewrite(computation, [1.0])
    assert seen[0]["minus"] == ["cluster: 1 replica", "logical core 0"]


def test_what_is_no_fetch(graph):
    with pytest.raises(TypeError):
        graph.draw(3)
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="another graph"):
        tf.Graph().draw(x)


def stand_in(folder, script, monkeypatch):
    """Put a program where dot is expected."""
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_without_graphviz_an_error_says_what_to_install(graph, tmp_path, monkeypatch):
    def files(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(metadata, "files", files)
    tf.constant(1.0, name="a")
    drawing = graph.draw()
    with pytest.raises(RuntimeError, match="pip install graphviz-pure"):
        drawing.save(tmp_path / "graph.svg")
    assert drawing.save(tmp_path / "graph.dot").read_text() == str(drawing)


def test_graphviz_lays_it_out(graph, tmp_path, monkeypatch):
    script = "cat >/dev/null; echo '<?xml?><!-- by --><svg width=\"1\"><g/></svg>'"
    stand_in(tmp_path, script, monkeypatch)
    drawing = graph.draw()
    start, style, rest = drawing.svg().partition("<style>")
    assert start == '<svg role="img" class="tpuref-graph" width="1">\n'
    assert "(prefers-color-scheme: dark)" in rest and style
    assert rest.endswith("</style>\n<g/></svg>\n")
    assert drawing._repr_html_() == drawing.svg()
    written = drawing.save(tmp_path / "graph.svg")
    assert written == tmp_path / "graph.svg"
    assert written.read_text() == drawing.svg()
    assert drawing.save(str(tmp_path / "graph.dot")).read_text() == drawing.dot
    with pytest.raises(ValueError, match="must end with .svg or .dot"):
        drawing.save(tmp_path / "graph.png")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'no memory' >&2; exit 1", "Graphviz failed: no memory"),
        ("exec sleep 60", "draw less"),
    ],
)
def test_graphviz_may_fail_or_take_too_long(
    graph, tmp_path, monkeypatch, script, message
):
    stand_in(tmp_path, script, monkeypatch)
    if "sleep" in script:
        monkeypatch.setattr(dot, "_PATIENCE", 0.1)
    with pytest.raises(RuntimeError, match=message):
        graph.draw().svg()


def test_text_is_quoted():
    sheet = dot.Dot('a "title"')
    sheet.node("n", ['say "hi"', "back\\slash"])
    text = sheet.text()
    assert 'digraph "a \\"title\\"" {' in text
    assert 'label="say \\"hi\\"\\nback\\\\slash"' in text
    if shutil.which("dot"):
        subprocess.run(["dot"], input=text, text=True, check=True, capture_output=True)


@pytest.mark.parametrize("installed", ["by pip", "on the PATH"])
def test_the_real_graphviz_draws_every_frame(graph, installed, monkeypatch, tmp_path):
    if installed == "by pip":
        monkeypatch.setenv("PATH", str(tmp_path))
    elif shutil.which("dot") is None:
        pytest.skip("Graphviz's own dot is not installed")
    out = tf.tpu.replicate(two_cores, [[1.0], [2.0]])
    root = ElementTree.fromstring(graph.draw(out).svg())
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"cluster: 2 replicas", "logical core 1", "over all replicas"} <= set(texts)
