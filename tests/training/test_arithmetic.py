"""Each optimizer's arithmetic over 100 steps, against NumPy and TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf

from . import problem, references, release_1_15_5

CASES = [(name, kind) for name in problem.OPTIMIZERS for kind in ("dense", "sparse")]


def gradient_of(kind, step, dtype):
    if kind == "dense":
        return problem.dense_gradient(step, dtype)
    return problem.sparse_gradient(step, dtype)


def trained(name, kind, dtype):
    """Return the variable after all steps."""
    optimizer, arguments = problem.OPTIMIZERS[name]
    w = tf.get_variable("w", initializer=problem.start(dtype))
    given = tf.placeholder(dtype, [None, problem.COLUMNS])
    indices = tf.placeholder(tf.int32, [None])
    shape = [problem.ROWS, problem.COLUMNS]
    slices = tf.IndexedSlices(given, indices, shape)
    gradient = given if kind == "dense" else slices
    train_op = getattr(tf.train, optimizer)(**arguments).apply_gradients(
        [(gradient, w)]
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(problem.STEPS):
            value = gradient_of(kind, step, dtype)
            feed = (value,) if kind == "dense" else value
            session.run(train_op, dict(zip((given, indices), feed, strict=False)))
        return session.run(w)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_it_is_what_tensorflow_and_numpy_compute(name, kind):
    optimizer, arguments = problem.OPTIMIZERS[name]
    gradients = [gradient_of(kind, k, "float64") for k in range(problem.STEPS)]
    expected = references.trained(optimizer, arguments, problem.start(), gradients)
    measured = np.reshape(release_1_15_5.MEASURED[name, kind], expected.shape)
    np.testing.assert_allclose(expected, measured, rtol=1e-12)
    np.testing.assert_allclose(trained(name, kind, "float64"), measured, rtol=1e-12)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_float32_is_as_close_as_it_can_be(name, kind):
    measured = np.reshape(release_1_15_5.MEASURED[name, kind], [problem.ROWS, -1])
    error = np.abs(trained(name, kind, "float32") - measured)
    assert error.max() < 2e-6 * np.abs(measured).max()
