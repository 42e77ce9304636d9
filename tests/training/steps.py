"""Steps of training in a session, and a loss to train on."""

import numpy as np

import tpuref as tf

ROWS = np.random.RandomState(3).randn(16, 3).astype("float32")
TARGETS = (ROWS @ [[1.0], [-2.0], [0.5]] + 0.25).astype("float32")
IDS = np.random.RandomState(4).randint(0, 5, 16).astype("int32")


def loss_of(rows, targets, ids):
    """Return a loss with two dense variables, and a table of which rows are used."""
    w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    table = tf.get_variable("table", [5, 1], initializer=tf.zeros_initializer())
    guesses = tf.matmul(rows, w) + b + tf.nn.embedding_lookup(table, ids)
    return tf.reduce_mean(tf.square(guesses - targets))


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
