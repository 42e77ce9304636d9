"""A sampled program in lockstep and on the pool, and in what the two differ."""

import numpy as np

import tpuref as tf
from tpuref.base import nest


def run(sample, executor, opened, processes=None):
    """Return what two runs of a program give, and the variables afterwards."""
    settings = {"executor": executor, "processes": processes}
    settings.update(cores=sample.cores, timeout=20.0)
    with tf.config.override(**settings), tf.Graph().as_default():
        made = {}
        exec(sample.source(), made)
        with opened(sample.cores) as session:
            session.run(tf.global_variables_initializer())
            turns = [
                session.run(made["outputs"], made["feed"](turn)) for turn in (0, 1)
            ]
            return nest.flatten([turns, session.run(made["variables"])])


def own_system(cores):
    """Open a session with a system of its own, which leaves the pool alone."""
    jobs = tf.train.ClusterSpec({"own": ["localhost"]})
    return tf.Session(config=tf.ConfigProto(cluster_def=jobs.as_cluster_def()))


def described(value):
    if value is None:
        return ()
    array = np.asarray(value)
    return array.dtype, array.shape, array.tobytes()


def difference(sample, opened, processes=None):
    """Return in what the pool, on so many processes, differs from lockstep."""
    expected = run(sample, "lockstep", own_system)
    try:
        got = run(sample, "pool", opened, processes)
    except tf.errors.OpError as error:
        return f"the pool raises {type(error).__name__}: {error}"
    if len(expected) != len(got):
        return f"the pool gives {len(got)} values, lockstep {len(expected)}"
    for k, (a, b) in enumerate(zip(expected, got, strict=True)):
        if described(a) != described(b):
            return f"value {k} is {b!r} on the pool, {a!r} in lockstep"
    return None
