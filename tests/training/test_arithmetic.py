"""Each optimizer's arithmetic over 100 steps, against TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf

from . import problem, release_1_15_5

CASES = [(name, kind) for name in problem.OPTIMIZERS for kind in ("dense", "sparse")]


def gradient_of(kind, step, dtype):
    if kind == "dense":
        return (problem.dense_gradient(step, dtype),)
    return problem.sparse_gradient(step, dtype)


def trained(name, kind, dtype):
    """Return the variable after all steps."""
    optimizer, arguments = problem.OPTIMIZERS[name]
    w = tf.get_variable("w", initializer=problem.start(dtype))
    given = tf.placeholder(dtype, [None, problem.COLUMNS])
    indices = tf.placeholder(tf.int32, [None])
    slices = tf.IndexedSlices(given, indices, [problem.ROWS, problem.COLUMNS])
    gradient = given if kind == "dense" else slices
    made = getattr(tf.train, optimizer)(**arguments)
    train_op = made.apply_gradients([(gradient, w)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(problem.STEPS):
            values = gradient_of(kind, step, dtype)
            session.run(train_op, dict(zip((given, indices), values, strict=False)))
        return session.run(w)


# In float64 and in float32: how far elements may be apart, relative to the largest.
@pytest.mark.parametrize(("dtype", "apart"), [("float64", 1e-11), ("float32", 2e-6)])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_it_is_what_tensorflow_computes(name, kind, dtype, apart):
    measured = release_1_15_5.MEASURED[name, kind]
    error = np.abs(trained(name, kind, dtype).sum(1) - measured)
    assert error.max() < apart * np.abs(measured).max()
