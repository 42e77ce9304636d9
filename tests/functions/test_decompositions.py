"""Decompositions: what they multiply to, and gradients beside TensorFlow 2.21."""

import numpy as np
import pytest

import tpuref as tf

pytestmark = pytest.mark.usefixtures("eager")
A = np.array([[4.0, 2, 1], [2, 5, 3], [1, 3, 6]], np.float32)

GRADIENTS = {
    "cholesky": [1.0, 0.0, 0.0, 0.0],
    "inv": [-0.09817697, 0.101841, -0.04398812, 0.101841],
    "det": [2814.0012, -1206.0006, 134.00005, -1206.0006],
    "logdet": [2.6357775, -1.1296189, 0.1255132, -1.1296189],
    "slogdet": [2.6357777, -1.129619, 0.12551321, -1.129619],
}
"""Of the sum of squares by A, the first four elements."""


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    with tf.GradientTape() as tape:
        x = tf.constant(A)
        tape.watch(x)
        y = getattr(tf.linalg, name)(x)
        y = y.log_abs_determinant if name == "slogdet" else y
        total = tf.reduce_sum(y * y)
    found = tape.gradient(total, x).numpy().ravel()[:4]
    np.testing.assert_allclose(found, GRADIENTS[name], 1e-5)


def test_factors_multiply_to_the_matrix():
    q, r = tf.linalg.qr(A)
    s, u, v = tf.linalg.svd(A)
    values, vectors = tf.linalg.eigh(A)
    both, order = tf.linalg.lu(A)
    products = [q @ r, (u * s) @ tf.transpose(v)]
    products.append((vectors * values) @ tf.transpose(vectors))
    lower, upper = np.tril(both.numpy(), -1) + np.eye(3), np.triu(both.numpy())
    assert int(tf.compat.v2.linalg.matrix_rank(A)) == 3
    inverse = tf.compat.v2.linalg.pinv(A).numpy()
    for product in products:
        np.testing.assert_allclose(product.numpy(), A, 1e-5)
    np.testing.assert_allclose(lower @ upper, A[order.numpy()], 1e-5)
    np.testing.assert_allclose(inverse @ A, np.eye(3), atol=1e-5)


def test_a_singular_matrix_is_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.inv(np.zeros((2, 2), np.float32))
