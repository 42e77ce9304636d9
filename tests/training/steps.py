"""Steps of training in a session."""

import tpuref as tf


def after(train_op, fetches, steps=1):
    """Initialise the variables, run some steps, and return the fetched values."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train_op)
        return session.run(fetches)
