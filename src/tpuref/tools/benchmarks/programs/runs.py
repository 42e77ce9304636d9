"""Runs of the programs: a function for each that takes steps and returns losses."""

import importlib

import numpy as np

GRAPHS = ("bert", "mnist", "resnet", "gpt2", "lstm")
LOOPS = ("digits",)
"""The programs of TensorFlow 1.x, and the one of 2.x."""


def module(name):
    """Import a program; this file may be run outside of its package."""
    return importlib.import_module(__name__.rpartition("runs")[0] + name)


def _shares(name, cores):
    data = module(name).batch(np.random.RandomState(1))
    return [np.split(array, cores) for array in data]


def graph(tf, name, cores=0):
    """Return a function of a number of steps, for a program of TensorFlow 1.x.

    With `cores`, each takes its share of the batch; else it is TensorFlow's processors.
    """
    program = module(name)
    net = module("net")
    shares = list(zip(*_shares(name, cores or 1)))

    def train(*batch):
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            loss = program.loss(net.Net(tf), *batch)
        optimizer = program.optimizer(tf)
        if cores:
            optimizer = tf.tpu.CrossShardOptimizer(optimizer)
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss)

    with tf.Graph().as_default():
        inputs = [
            [tf.placeholder(part.dtype, part.shape) for part in share]
            for share in shares
        ]
        fed = dict(
            (x, part) for xs, share in zip(inputs, shares) for x, part in zip(xs, share)
        )
        fetches = tf.tpu.replicate(train, inputs) if cores else [train(*inputs[0])]
        session = tf.Session()
        if cores:
            session.run(tf.tpu.initialize_system())
        session.run(tf.global_variables_initializer())

    def run(steps):
        return [
            float(np.mean(session.run(fetches, feed_dict=fed))) for _ in range(steps)
        ]

    return run


def loop(tf, name, cores=0):
    """Return a function of a number of steps, for a program of TensorFlow 2.x."""
    program = module(name)
    if not cores:
        weights = program.variables(tf)
        data = [tf.constant(parts[0]) for parts in _shares(name, 1)]
        whole = tf.function(lambda *batch: program.step(tf, weights, list, *batch))
        return lambda steps: [float(whole(*data)) for _ in range(steps)]
    tf.tpu.experimental.initialize_tpu_system()
    strategy = tf.distribute.TPUStrategy()
    data = [
        strategy.experimental_distribute_values_from_function(
            lambda context, parts=parts: tf.constant(
                parts[context.replica_id_in_sync_group]
            )
        )
        for parts in _shares(name, cores)
    ]
    with strategy.scope():
        weights = program.variables(tf)

    def summed(gradients):
        context = tf.distribute.get_replica_context()
        return context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)

    @tf.function
    def once():
        losses = strategy.run(
            lambda *batch: program.step(tf, weights, summed, *batch), args=tuple(data)
        )
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    return lambda steps: [float(once()) for _ in range(steps)]
