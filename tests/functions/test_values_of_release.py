"""Values, dtypes and static shapes that TensorFlow 1.15.5 was measured to give."""

import contextlib

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.errors import OpError
from tpuref.engine.runtime.system import LOCAL


def unknown(value, shape=None):
    """Return a tensor of which only run time tells the value, and more of the shape."""
    return tf.placeholder_with_default(np.asarray(value), shape)


def counted(*sizes):
    return np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)


def array_of_empty(shape):
    array = tf.TensorArray(tf.float32, size=2)
    return array.write(0, tf.zeros(shape)).write(1, tf.zeros(shape))


def slope(function, x):
    x = tf.convert_to_tensor(x)
    return tf.gradients(function(x), x)[0]


def slopes_of_product(a, b, **options):
    total = tf.reduce_sum(tf.matmul(a, b, **options))
    return tf.concat([tf.reshape(g, [-1]) for g in tf.gradients(total, [a, b])], 0)


def sigmoid_loss(shape, differentiate=False):
    labels = unknown(np.ones([1, 3], np.float32), shape)
    logits = unknown(np.ones([1, 1], np.float32), shape)
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.gradients(loss, logits)[0] if differentiate else loss


def sparse_loss(labels):
    logits = unknown(np.eye(3, 2, dtype=np.float32))
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


LABELS = np.array([[0], [1], [1]], np.int32)
FLOATS = np.array([-3.0, 300.0, np.nan, 1e10, -1e10], np.float32)
MASK, EMPTY = [True, False, True], np.zeros([0, 6], np.float32)
ROWS = counted(2, 3)
INT, BYTE = np.int32, np.uint8
EIGHTHS = [-1.5274889, -1.5274889, -1.0910635, -1.0910635, -0.6546381, -0.6546381]
EIGHTHS += [-0.2182127, -0.2182127] + [0.2182127] * 2 + [0.6546381] * 2
EIGHTHS += [1.0910635] * 2 + [1.5274889] * 2

VALUES = {
    "realdiv": (lambda: tf.realdiv(unknown(INT([-7, 7])), unknown(INT([2, -2]))),
        "int32", None, [-3, -3]),
    "realdiv uint8": (lambda: tf.realdiv(unknown(BYTE([7])), unknown(BYTE([2]))),
        "uint8", None, [3]),
    # whose static shape 1.15.5 gives as (?, 0, 3)
    "reshape": (lambda: tf.reshape(unknown(EMPTY, [0, 6]), [-1, 0, 3]), "float32",
        [2, 0, 3], [[], []]),
    "reshape unknown": (lambda: tf.shape(tf.reshape(unknown(EMPTY), [-1, 0, 4])),
        "int32", [3], [1, 0, 4]),
    "reshape to no zero": (lambda: tf.reshape(unknown(EMPTY), [-1, 3]), "float32",
        [None, 3], []),
    "segments": (lambda: tf.math.unsorted_segment_sum(unknown(counted(2, 2, 2)),
        [[0, -1], [-3, 1]], 2), "float32", None, [[0.0, 1.0], [6.0, 7.0]]),
    "segments differentiated": (lambda: slope(
        lambda x: tf.math.unsorted_segment_sum(x, [0, -1, 0], 2) * [2.0, 3.0],
        [1.0, np.nan, 3.0]), "float32", [3], [2.0, 0.0, 2.0]),
    "concat of empty": (lambda: array_of_empty([0]).concat(), "float32", [0], []),
    "stack of empty": (lambda: array_of_empty([0]).stack(), "float32", [2, 0],
        [[], []]),
    "read of empty": (lambda: array_of_empty([0]).read(1), "float32", [0], []),
    "pad a scalar": (lambda: tf.pad(unknown(np.float32(3)), tf.zeros([0, 2], tf.int32),
        "CONSTANT", None, 1), "float32", [], 3.0),
    "mirror a scalar": (lambda: tf.pad(unknown(np.float32(3)),
        tf.zeros([0, 2], tf.int32), "REFLECT"), "float32", [], 3.0),
    "constant": (lambda: tf.constant(0.5, shape=[0, 3]), "float32", [0, 3], []),
    "constants": (lambda: tf.constant([0.5, 1], shape=[0, 3]), "float32", [0, 3], []),
    "less": (lambda: tf.constant([1], tf.uint8) <= -3, "bool", [1], [True]),
    "add": (lambda: tf.constant([1], tf.uint8) + 300, "uint8", [1], [45]),
    "add 2**40": (lambda: tf.constant([1]) + 2**40, "int32", [1], [1]),
    "sparse loss": (lambda: sparse_loss(LABELS), "float32", [], 0.43989015),
    "sparse loss unknown": (lambda: sparse_loss(unknown(LABELS)), "float32", [],
        0.43989015),
    "sigmoid loss": (lambda: sigmoid_loss(None), "float32", None, [[0.3132617] * 3]),
    "sigmoid loss differentiated": (lambda: sigmoid_loss(None, True), "float32", None,
        [[-0.8068242]]),
    "sigmoid loss of sizes": (lambda: sigmoid_loss([1, None]), "float32", [1, None],
        [[0.3132617] * 3]),
    "split": (lambda: tf.split(unknown(counted(4, 3), [None, None]), [1, -1], 0)[1],
        "float32", [None, None], counted(4, 3)[1:]),
    "split unknown": (lambda: tf.split(unknown(counted(4, 3)), [1, -1, 2], 0)[1],
        "float32", None, [[3.0, 4.0, 5.0]]),
    "split differentiated": (lambda: slope(lambda x: tf.split(x, [1, -1], 0)[1],
        unknown(counted(2, 2), [None, 2])), "float32", [None, 2],
        [[0.0, 0.0], [1.0, 1.0]]),
    "mask": (lambda: tf.boolean_mask(unknown(counted(3, 2)), unknown(MASK, [3])),
        "float32", None, [[0.0, 1.0], [4.0, 5.0]]),
    "mask of two axes": (lambda: tf.boolean_mask(unknown(counted(3, 2)),
        unknown(counted(3, 2) > 2, [None, None])), "float32", None, [3.0, 4.0, 5.0]),
    "mask along an axis": (lambda: tf.boolean_mask(unknown(counted(3, 2)),
        [True, False], axis=1), "float32", None, [[0.0], [2.0], [4.0]]),
    "fused_batch_norm": (lambda: tf.nn.fused_batch_norm(unknown(counted(2, 2, 2, 2)),
        [1.0, 1.0], [0.0, 0.0])[0], "float32", [None, None, None, 2],
        np.reshape(EIGHTHS, [2, 2, 2, 2])),
    "matmul differentiated": (lambda: slopes_of_product(unknown(ROWS),
        unknown(counted(3, 2))), "float32", [None],
        [1, 5, 9, 1, 5, 9, 3, 3, 5, 5, 7, 7]),
    "matmul of stacks differentiated": (lambda: slopes_of_product(
        unknown(counted(2, 2, 3)), tf.constant(counted(2, 3, 2))), "float32", [None],
        [1, 5, 9] * 2 + [13, 17, 21] * 2 + [3, 3, 5, 5, 7, 7, 15, 15, 17, 17, 19, 19]),
    "turned matmul differentiated": (lambda: slopes_of_product(unknown(counted(3, 2)),
        tf.constant(counted(3, 2)), transpose_a=True), "float32", [None],
        [1, 1, 5, 5, 9, 9, 1, 1, 5, 5, 9, 9]),
    "prod differentiated": (lambda: slope(tf.reduce_prod, unknown(ROWS + 1)),
        "float32", None, [[720.0, 360.0, 240.0], [180.0, 144.0, 120.0]]),
    "prod along an axis differentiated": (lambda: slope(
        lambda x: tf.reduce_prod(x, -1), unknown(ROWS + 1)), "float32", None,
        [[6.0, 3.0, 2.0], [30.0, 24.0, 20.0]]),
    "prod along axes differentiated": (lambda: slope(
        lambda x: tf.reduce_prod(x, [0, -1]), unknown(ROWS)), "float32", None,
        [[120.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    "sum along an axis differentiated": (lambda: slope(lambda x: tf.reduce_sum(x, -1),
        unknown(ROWS)), "float32", None, np.ones([2, 3])),
    "where": (lambda: tf.where(unknown(ROWS > 1), unknown(ROWS), tf.zeros([2, 3])),
        "float32", [2, 3], [[0, 0, 2], [3, 4, 5]]),
    "where of rows": (lambda: tf.where(unknown([True, False]), tf.zeros([2, 3]),
        unknown(ROWS, [None, 3])), "float32", [2, 3], [[0, 0, 0], [3, 4, 5]]),
    "abs differentiated twice": (lambda: slope(lambda x: slope(tf.abs, x),
        [1.0, -2.0, 0.0]), "float32", [3], [0.0, 0.0, 0.0]),
    "complex abs differentiated twice": (lambda: slope(
        lambda x: tf.real(slope(tf.abs, x)), np.array([3 + 4j], np.complex64)),
        "complex64", [1], [0.128 - 0.096j]),
    **{
        f"cast to {dtype}":
            (lambda dtype=dtype: tf.cast(unknown(FLOATS), dtype), dtype, None, values)
        for dtype, values in {
            "uint8": [253, 44, 0, 0, 0],
            "int8": [-3, 44, 0, 0, 0],
            "uint16": [65533, 300, 0, 0, 0],
            "int32": [-3, 300, -(2**31), -(2**31), -(2**31)],
            "int64": [-3, 300, -(2**63), 10**10, -(10**10)],
        }.items()
    },
}  # fmt: skip
DATA_DECIDE = {"mask", "mask of two axes", "mask along an axis"}
"""Rows whose sizes depend on data, which XLA refuses."""


@pytest.mark.parametrize("row", VALUES)
def test_a_value_is_that_of_the_release(row, session):
    build, dtype, shape, value = VALUES[row]
    tensor = build()
    assert tensor.dtype == dtype
    assert (None if tensor.shape.rank is None else tensor.shape.as_list()) == shape
    found = session.run(tensor)
    assert found.shape == np.shape(value) or not found.size
    np.testing.assert_allclose(found, np.reshape(value, found.shape), 2e-6, 1e-6)


@pytest.mark.parametrize("executor", ["pool", "xla"])
def test_cores_give_what_the_host_gives(executor):
    """The host runs the instructions as lockstep does."""
    if executor == "xla":
        pytest.importorskip("jax", reason="JAX is not installed")
    differ = []
    LOCAL.reset()
    with tf.config.override(executor=executor, cores=2), contextlib.ExitStack() as end:
        end.callback(LOCAL.reset)
        for name, (build, *_) in VALUES.items():
            if executor == "xla" and name in DATA_DECIDE:
                continue
            with tf.Graph().as_default(), tf.Session() as session:
                try:
                    want = session.run(build())
                    both = session.run(tf.tpu.replicate(build, [[], []]))
                except OpError as error:
                    differ.append(f"{name}: {error}")
                    continue
            for (found,) in both:
                alike = (found.dtype, found.shape) == (want.dtype, want.shape)
                if not alike or not np.allclose(found, want, 1e-6, 1e-6):
                    differ.append(f"{name}: {found!r}, wanted {want!r}")
    assert not differ, "\n".join(differ)
