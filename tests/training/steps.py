"""Steps of training in a session."""

import numpy as np

import tpuref as tf


def after(train_op, fetches, steps=1):
    """Initialise the variables, run some steps, and return the fetched values."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train_op)
        return session.run(fetches)


def require_close(values, expected):
    """Require that trained variables are equal but for rounding."""
    for value, wanted in zip(values, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)
