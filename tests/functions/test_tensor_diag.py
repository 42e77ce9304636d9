"""Diagonals of tensors whose indices repeat, by NumPy."""

import numpy as np

import tpuref as tf


def test_values(session):
    x = np.arange(6.0).reshape(2, 3)
    expected = np.diag(x.reshape(-1)).reshape(2, 3, 2, 3)
    given = tf.placeholder(tf.float64, [None, None])
    square = tf.placeholder(tf.float64, [None, None])
    assert (session.run(tf.diag(x)) == expected).all()
    assert (session.run(tf.diag(given), {given: x}) == expected).all()
    assert (session.run(tf.linalg.tensor_diag_part(expected)) == x).all()
    diagonal = session.run(tf.diag_part(square), {square: np.eye(3)})
    assert diagonal.tolist() == [1.0, 1.0, 1.0]
