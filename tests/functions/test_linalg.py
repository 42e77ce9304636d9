"""Products, traces, diagonals and lengths as a session sees them."""

import math

import numpy as np
import pytest

import tpuref as tf

from .values import run

RNG = np.random.default_rng(3)


def test_matmul_of_matrices_whose_shapes_come_later():
    a = tf.placeholder(tf.float32, [None, None])
    product = tf.matmul(a, a)
    assert run(product, {a: np.eye(2)}).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32\[2,3\]"):
        run(product, {a: np.ones((2, 3))})


def test_matvec_broadcasts_what_lies_before():
    a = RNG.integers(0, 9, (5, 2, 3))
    v = RNG.integers(0, 9, (4, 1, 3))
    expected = (a * v[..., None, :]).sum(-1)
    assert run(tf.linalg.matvec(a, v)).tolist() == expected.tolist()
    turned = run(tf.linalg.matvec(tf.constant(a), [1, 2], transpose_a=True))
    assert turned.tolist() == (a[:, 0] + 2 * a[:, 1]).tolist()
    assert run(tf.linalg.matvec([[1j]], [1j], adjoint_a=True)).tolist() == [1]


@pytest.mark.parametrize(
    "axes", [0, 1, 2, [1, 0], [[0, 1], [1, 0]], np.array([[1], [0]]), ((-1,), (-2,))]
)
def test_tensordot_takes_axes_in_every_form(axes):
    a, b = RNG.integers(0, 9, (3, 3)), RNG.integers(0, 9, (3, 3))
    assert run(tf.tensordot(a, b, axes)).tolist() == np.tensordot(a, b, axes).tolist()


def test_tensordot_of_unknown_rank():
    a = tf.placeholder(tf.float32)
    assert run(tf.tensordot(a, a, 1), {a: [1.0, 2.0]}) == 5
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.tensordot(a, a, 1), {a: np.ones((2, 3))})


def test_einsum_takes_only_a_name_besides():
    assert tf.einsum("i->", [1.0], name="total").op.name == "total"


def test_traces_are_batched_over_the_first_axes():
    x = RNG.integers(0, 9, (4, 3, 2))
    assert run(tf.trace(x)).tolist() == (x[:, 0, 0] + x[:, 1, 1]).tolist()


@pytest.mark.parametrize("ord", [1, 2, 3, 0.5, np.inf, "euclidean"])
def test_lengths_of_vectors(ord):
    x = np.asarray([[3.0, -4.0], [1.0, 0.0]])
    number = 2 if ord == "euclidean" else ord
    rows = [np.linalg.norm(row, number) for row in x]
    np.testing.assert_allclose(run(tf.norm(x, ord, axis=1)), rows)
    whole = run(tf.norm(x, ord, keepdims=True))
    np.testing.assert_allclose(whole, [[np.linalg.norm(x.reshape(-1), number)]])


@pytest.mark.parametrize("ord", ["fro", "euclidean", 1, np.inf])
@pytest.mark.parametrize("axis", [(-2, -1), (2, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sizes_of_matrices(ord, axis, keepdims):
    x = RNG.standard_normal((2, 3, 4))
    expected = np.linalg.norm(x, "fro" if ord == "euclidean" else ord, axis, keepdims)
    np.testing.assert_allclose(run(tf.norm(x, ord, axis, keepdims)), expected)


def test_diagonals_of_tensors_whose_indices_repeat(session):
    x = np.arange(6.0).reshape(2, 3)
    expected = np.diag(x.reshape(-1)).reshape(2, 3, 2, 3)
    given = tf.placeholder(tf.float64, [None, None])
    assert (session.run(tf.diag(x)) == expected).all()
    assert (session.run(tf.diag(given), {given: x}) == expected).all()
    assert (session.run(tf.linalg.tensor_diag_part(expected)) == x).all()
    diagonal = session.run(tf.diag_part(given), {given: np.eye(3)})
    assert diagonal.tolist() == [1.0, 1.0, 1.0]


def test_length_of_complex_numbers_is_real():
    length = tf.norm(tf.constant([3j, 4.0], tf.complex64))
    assert length.dtype == tf.float32
    assert math.isclose(run(length), 5)


def test_norm_along_an_axis_that_is_an_integer_of_numpy():
    norms = tf.norm(tf.constant([[3.0, 4.0], [6.0, 8.0]]), axis=np.int64(1))
    assert run(norms).tolist() == [5.0, 10.0]
