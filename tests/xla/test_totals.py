"""Sums over all replicas of products, and chains of elementwise operations."""

import re

import numpy as np
import pytest

import tpuref as tf

from .conftest import evaluated, replicated

pytest.importorskip("jax", reason="JAX is not installed")

REPLICAS, ROWS, INNER, COLUMNS = 8, 6, 5, 7


def drawn(*shapes):
    draw = np.random.default_rng(3)
    return [
        [draw.normal(size=shape).astype(np.float32) for shape in shapes]
        for _ in range(REPLICAS)
    ]


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_the_sum_of_products_is_one_product(agree, compiled, left, right):
    def computation(x, y):
        product = tf.matmul(x, y, transpose_a=left, transpose_b=right)
        return tf.tpu.cross_replica_sum(product)

    shapes = [(ROWS, INNER), (INNER, COLUMNS)]
    turned = [s[::-1] if t else s for s, t in zip(shapes, (left, right), strict=True)]
    agree(replicated(computation, drawn(*turned)))
    assert f"f32[{REPLICAS},{ROWS},{COLUMNS}]" not in compiled()


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float32"])
def test_sums_of_sums_of_products(agree, dtype):
    def computation(x, y, z):
        x, y, z = (tf.cast(value, dtype) for value in (x, y, z))
        first, second = tf.matmul(x, y), tf.identity(tf.matmul(z, y))
        both = tf.add_n([first, second, z @ y + first, tf.zeros_like(first) + 2.0])
        return [
            tf.cast(value, tf.float32)
            for value in (
                tf.tpu.cross_replica_sum(both),
                tf.tpu.cross_replica_sum(first, [[0, 2, 4, 6], [1, 3, 5, 7]]),
                tf.tpu.cross_replica_sum(tf.matmul(x, tf.ones([INNER, 2], dtype))),
                both,
            )
        ]

    # Whole numbers: 16 bits hold the products, and the sums are exact.
    draw = np.random.default_rng(3)
    inputs = [
        [draw.integers(-2, 3, shape).astype(np.float32) for shape in shapes]
        for shapes in [[(ROWS, INNER), (INNER, COLUMNS), (ROWS, INNER)]] * REPLICAS
    ]
    agree(replicated(computation, inputs))


def test_the_rows_of_a_batch_of_matrices_are_added(agree):
    def computation(x, y):
        return tf.tpu.cross_replica_sum(x @ y)

    agree(replicated(computation, drawn((2, ROWS, INNER), (2, INNER, COLUMNS))))


def test_replicas_choose_between_a_sum_and_a_scalar(agree):
    def computation(x):
        total = tf.tpu.cross_replica_sum(tf.reshape(x[0], [1]))
        return tf.where_v2(x[0] > 0.0, total, 0.0)

    agree(replicated(computation, drawn((1,))))


def test_a_replica_that_skips_the_sum_is_an_error():
    def computation(x, y):
        return tf.cond(
            tf.reduce_sum(x) > 0.0,
            lambda: tf.tpu.cross_replica_sum(tf.matmul(x, y)),
            lambda: tf.matmul(x, y),
        )

    build = replicated(computation, drawn((ROWS, INNER), (INNER, COLUMNS)))
    with pytest.raises(tf.errors.OpError, match="CrossReplicaSum"):
        evaluated(build, "xla")


def test_the_gradient_of_a_recurrence_grows_with_its_steps(agree, compiled):
    """A step's chain is not computed again by the users of all steps before it."""

    def gradient(steps):
        def computation(x, w):
            c = h = x
            for _ in range(steps):
                gate = tf.sigmoid(tf.matmul(h, w))
                c = gate * c + (1.0 - gate) * tf.tanh(h)
                h = gate * tf.tanh(c)
            return tf.gradients(h, [w])[0]

        return replicated(computation, drawn((ROWS, INNER), (INNER, INNER)))

    sizes = []
    for steps in (12, 24):
        agree(gradient(steps), runs=1)
        sizes.append(len(re.findall(r" (?:multiply|add)\(", compiled())))
    assert sizes[1] < 2.1 * sizes[0], sizes
