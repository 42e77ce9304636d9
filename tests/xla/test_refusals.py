"""What XLA cannot have: an error names the operation, the line and who runs it."""

import numpy as np
import pytest

import tpuref as tf

from ..pythons import python
from .conftest import ONE_DEVICE, evaluated, replicated

pytestmark = ONE_DEVICE


def refused(build):
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(tf.errors.UnimplementedError) as raised:
        evaluated(build, "xla")
    said = str(raised.value)
    assert "tf.config.executor = 'pool'" in said
    assert "test_refusals.py" in said
    return said


ROW = np.float32([1, 2, 3])


@pytest.mark.parametrize(
    ("computation", "operation"),
    [
        (lambda x: tf.where(x > 1), "Where"),
        (lambda x: tf.unique(x)[0], "Unique"),
        (lambda x: tf.range(tf.cast(tf.reduce_sum(x), tf.int32)), "Range"),
        (lambda x: tf.reshape(x, tf.cast(x[:1] * 3, tf.int32)), "Reshape"),
        (lambda x: tf.py_func(np.sin, [x], tf.float32) + 1, "PyFunc"),
        (lambda x: tf.cond(x[0] > 0, lambda: x[:1], lambda: x), "If"),
    ],
)
def test_sizes_that_data_decide(computation, operation):
    said = refused(replicated(computation, [[ROW], [ROW]]))
    assert said.startswith(f"{operation}: ") and "TPUREF-E274" in said


def test_replicas_that_differ_in_shape():
    def build():
        inputs = [[tf.constant(ROW)], [tf.constant(ROW[:2])]]
        shapes = [tf.TensorShape([4])]
        return tf.tpu.replicate(lambda x: x + 1, inputs, maximum_shapes=shapes), None

    assert "[[3], [2]]" in refused(build)
    with tf.config.override(padding_visible=True):  # what it sees is compiled
        assert evaluated(build, "xla")[0][1][0].tolist() == [2, 3, 1, 1]


def test_text_and_several_logical_cores():
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            return x + 1

    def build():
        topology = tf.contrib.tpu.Topology.for_cores(2)
        pair = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=1)
        return tf.tpu.replicate(computation, [[1.0]], device_assignment=pair), None

    with tf.config.override(cores=2):
        assert "logical core 1" in refused(build)
    text = [[b"a"], [b"b"]]
    assert "TPUREF-E278" in refused(lambda: (tf.tpu.replicate(tf.identity, text), None))


def test_a_fed_shape_is_compiled_for_its_value(session):
    shape = tf.placeholder(tf.int32, [2])
    x = tf.constant(np.arange(6, dtype=np.float32))
    outputs = tf.tpu.replicate(lambda x: tf.reshape(x, shape), [[x], [x + 1]])
    for sizes in ([2, 3], [3, 2], [2, 3], [1, 6]):
        assert list(session.run(outputs, {shape: sizes})[1][0].shape) == sizes


def test_without_jax_an_error_says_how_to_install_it():
    script = (
        "import sys; sys.modules['jax'] = None\n"
        "import tpuref as tf\n"
        "tf.config.executor = 'xla'\n"
        "outputs = tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]])\n"
        "tf.Session().run(outputs)"
    )
    last = python("-c", script).stderr.strip().split("\n")[-1]
    assert last.startswith("ImportError") and "pip install 'tpuref[xla]'" in last


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_other_executors_do_not_load_jax(executor):
    script = (
        "import sys, tpuref as tf\n"
        f"tf.config.executor = {executor!r}\n"
        "outputs = tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]])\n"
        "tf.Session().run(outputs)\n"
        "assert not any(name.split('.')[0] == 'jax' for name in sys.modules)"
    )
    python("-c", script, check=True)
