"""Runs a script, and writes the loss of each training step and the weights after them.

``python follow.py INITIAL FOLLOWED SCRIPT [ARGUMENT]...``.  The first run keeps its
weights in the file INITIAL, and a later one begins with them.  Both TensorFlow 1.15 and
tpuref run this file, as ``tensorflow``.  Batches come in the order of the data, and
nothing is dropped: the random numbers of two libraries differ.
"""

import functools
import os
import runpy
import sys

import numpy as np
import tensorflow as tf


class Follower(tf.estimator.SessionRunHook):
    """Sets the initial weights, and keeps losses and final weights."""

    def __init__(self, initial, followed):
        self._initial, self._followed = initial, followed
        self._losses = []

    def begin(self):
        """Take the loss of the model that was built last."""
        self._loss = SPECS[-1].loss

    def after_create_session(self, session, coord):
        """Set or keep the initial weights."""
        variables = {variable.op.name: variable for variable in tf.global_variables()}
        if os.path.exists(self._initial):
            with np.load(self._initial) as weights:
                for name in weights.files:
                    if name in variables:
                        variables[name].load(weights[name], session)
        else:
            np.savez(self._initial, **session.run(variables))

    def before_run(self, run_context):
        """Ask for the loss of the step."""
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        """Keep it; the last step is not known beforehand."""
        self._losses.append(float(run_values.results))

    def end(self, session):
        """Write what was kept."""
        trained = {variable.op.name: variable for variable in tf.trainable_variables()}
        np.savez(self._followed, losses=self._losses, **session.run(trained))


SPECS = []


def gate_the_step():
    """Let TensorFlow assign the global step after all other updates of the step.

    Otherwise a learning rate reads the old step or the new one, whichever the scheduler
    runs first: neither a reference nor a resource variable orders its reads.
    """
    try:
        from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable
        from tensorflow.python.ops.variables import RefVariable
    except ImportError:  # tpuref reads a variable before it is assigned
        return
    for kind in (BaseResourceVariable, RefVariable):
        kind.assign = gated(kind.assign)


def gated(assign):
    """Return the method `assign`, which waits where it assigns the global step."""

    def after_updates(variable, *args, **kwargs):
        updates = updates_so_far() if variable.op.name == "global_step" else ()
        with tf.control_dependencies(updates):
            return assign(variable, *args, **kwargs)

    return after_updates


def updates_so_far():
    """Return the operations that change variables, without their initializers."""
    return [
        op
        for op in tf.get_default_graph().get_operations()
        if op.type.startswith(("Assign", "Apply", "ResourceApply"))
        and op.name != op.inputs[0].op.name + "/Assign"
    ]


def remove_chance():
    """Read data in its order, drop nothing, and draw the smallest integers."""
    for api in (tf, tf.compat.v1):
        api.nn.dropout = lambda x, *args, **kwargs: tf.identity(x)
        draw = functools.partial(smallest, api.random.uniform)
        api.random.uniform = api.random_uniform = draw
        for data in (api.data.experimental, getattr(api, "contrib", api).data):
            data.parallel_interleave = in_order
    tf.data.Dataset.shuffle = lambda dataset, *args, **kwargs: dataset
    tf.layers.Dropout.call = lambda layer, inputs, **kwargs: tf.identity(inputs)
    np.random.seed(1)


def in_order(map_func, cycle_length, block_length=1, **kwargs):
    """Interleave datasets in a fixed order."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def smallest(draw, shape, minval=0, maxval=None, dtype=tf.float32, **kwargs):
    """Return the smallest integers of the range, or real numbers that `draw` draws."""
    if tf.as_dtype(dtype).is_integer:
        return tf.fill(shape, tf.cast(minval, dtype))
    return draw(shape, minval, maxval, dtype, **kwargs)


def main(initial, output, script, *arguments):
    """Run the script with its estimators followed."""
    new, train = tf.estimator.EstimatorSpec.__new__, tf.estimator.Estimator.train

    def noted(cls, *args, **kwargs):
        SPECS.append(new(cls, *args, **kwargs))
        return SPECS[-1]

    def followed(self, input_fn, hooks=None, *args, **kwargs):
        hooks = [*(hooks or ()), Follower(initial, output)]
        return train(self, input_fn, hooks, *args, **kwargs)

    tf.estimator.EstimatorSpec.__new__ = noted
    tf.estimator.Estimator.train = followed
    remove_chance()
    gate_the_step()
    tf.logging.set_verbosity(tf.logging.ERROR)
    if script == "-m":
        sys.argv = [*arguments]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        return
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
