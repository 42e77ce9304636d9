"""What notebooks show of tensors, graphs and values of several devices."""

from html.parser import HTMLParser

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.drawings.html import shortened, table
from tpuref.interface.distribute.values import Mirrored, PerDevice
from tpuref.interface.tpu.per_replica import PerReplica


class Table(HTMLParser):
    """The text of each cell; every tag is closed in turn."""

    def __init__(self, html):
        super().__init__()
        self.rows: list[list[str]] = []
        self.caption = ""
        self._open: list[str] = []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "caption", "tr", "td", "th", "pre")
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "td" in self._open or "th" in self._open:
            self.rows[-1][-1] += data
        elif "caption" in self._open:
            self.caption += data


def shown(value):
    return Table(value._repr_html_())


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as opened:
        yield opened


def test_text_is_escaped_and_shortened():
    found = Table(table("<b>", [("<script>", '"&')], ("<i>",)))
    assert found.caption == "<b>"
    assert found.rows == [["<i>"], ["<script>", '"&']]
    assert len(shortened("x" * 10_000)) < 400
    assert "..." in shortened(np.zeros([100, 100]))
    assert shortened([1, 2]) == "[1, 2]"


def test_a_tensor_of_a_graph():
    with tf.device("/job:worker"):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
    rows = {"name": "x:0", "shape": "(?, 3)", "dtype": "float32"}
    rows |= {"made by": "Placeholder", "runs": "on the host", "device": "/job:worker"}
    assert dict(shown(x).rows) == rows


def test_a_tensor_of_a_computation():
    seen = []

    def computation(x):
        with tf.device(tf.tpu.core(1)):
            y = x + 1.0
        seen.extend([x, y, tf.tpu.outside_compilation(lambda z: z + 1.0, y)])
        seen.append(
            tf.cond(x > 0.0, lambda: seen.append(x * 2.0) or seen[-1], lambda: x)
        )
        return y

    tf.tpu.replicate(computation, [[1.0], [2.0]])
    runs = [dict(shown(tensor).rows)["runs"] for tensor in seen]
    where = ["logical core 0", "logical core 1", "host part 0", "cond/true"]
    assert runs[:4] == [f"cluster: 2 replicas, {part}" for part in where]


def test_a_tensor_that_has_a_value():
    with tf.eager_execution():
        found = shown(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        assert found.caption == "tf.Tensor float32[2,2]"
        assert found.rows == [["[[1., 2.],\n [3., 4.]]"]]
        assert shown(tf.constant("<a>")).rows == [[str(b"<a>")]]
        assert len(tf.zeros([1000, 1000])._repr_html_()) < 2000


def test_a_graph_counts_its_operations(graph):
    tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    found = shown(graph)
    assert found.caption.startswith(f"tf.Graph of {graph.version} operations")
    rows = {row[0]: row[1:] for row in found.rows}
    inside = rows["cluster: 2 replicas, logical core 0"]
    assert inside == ["3", "TPUReplicatedInput, CrossReplicaSum, Identity"]
    assert int(rows["on the host"][0]) + 3 == graph.version
    assert "2 Const" in rows["on the host"][1]


@pytest.mark.parametrize("kind", [PerDevice, Mirrored])
def test_values_of_several_devices(kind):
    x = tf.constant(1.0, name="x")
    found = shown(kind({"/device:TPU:0": x, "/device:TPU:1": "<y>"}))
    assert found.caption == kind.__name__
    assert found.rows == [
        ["device", "component"],
        ["/device:TPU:0", repr(x)],
        ["/device:TPU:1", "'<y>'"],
    ]


def test_values_of_several_replicas():
    found = shown(PerReplica([1.0, np.arange(100)]))
    assert found.rows[0] == ["replica", "component"]
    assert found.rows[1] == ["0", "1.0"]
    assert "98, 99" in found.rows[2][1]
