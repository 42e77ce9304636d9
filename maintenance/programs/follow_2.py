"""Runs a script for TensorFlow 2, and writes its losses and final weights.

``python follow_2.py FOLLOWED SCRIPT [ARGUMENT]...``.  Both TensorFlow 2 and tpuref run
this file, as ``tensorflow``: TensorFlow with its CPU in place of a TPU.  Initial
weights are a function of their shape, and data come in their order.
"""

import functools
import os
import runpy
import sys

import numpy as np
import tensorflow as tf

LOSSES, MODELS = [], []


def replace_the_tpu():
    """Let strategies of TensorFlow use the CPU."""

    class OnTheCPU(tf.distribute.MirroredStrategy):
        def __init__(self, *others):
            super().__init__(["CPU:0"])

    tf.distribute.TPUStrategy = tf.distribute.MirroredStrategy = OnTheCPU
    tf.distribute.cluster_resolver.TPUClusterResolver = lambda *args, **kwargs: None
    tf.config.experimental_connect_to_cluster = lambda resolver: None
    tf.tpu.experimental.initialize_tpu_system = lambda resolver: None


def remove_chance():
    """Read data in their order, and start with weights that the shape decides."""
    tf.data.Dataset.shuffle = lambda dataset, *args, **kwargs: dataset
    tf.keras.initializers.VarianceScaling.__call__ = weights_of


def weights_of(initializer, shape, dtype=None, **kwargs):
    """Return the initial weights of a shape."""
    draw = np.random.RandomState(len(shape) + sum(shape)).uniform(-1, 1, shape)
    return tf.constant(draw / np.sqrt(np.prod(shape[:-1])), dtype or "float32")


def record():
    """Keep scalars that functions return, values of the loss, and models."""
    function, result = tf.function, tf.keras.metrics.Mean.result
    build = tf.keras.Sequential.__init__

    def recorded(python_function=None, **options):
        if python_function is None:
            return functools.partial(recorded, **options)
        traced = function(python_function, **options)

        def call(*args, **kwargs):
            return kept(traced(*args, **kwargs))

        call.python_function = python_function
        return call

    def read(metric):
        value = result(metric)
        return kept(value) if metric.name == "training_loss" else value

    def built(model, *args, **kwargs):
        MODELS.append(model)
        build(model, *args, **kwargs)

    tf.function, tf.keras.metrics.Mean.result = recorded, read
    tf.keras.Sequential.__init__ = built


def kept(value):
    """Return a value, kept if it is a number of a step."""
    if tf.executing_eagerly() and getattr(value, "shape", None) == ():
        LOSSES.append(float(value))
    return value


def main(output, script, *arguments):
    """Run the script, and write what it computed."""
    if "tpuref" not in sys.modules:
        replace_the_tpu()
    remove_chance()
    record()
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
    weights = [array for model in MODELS for array in model.get_weights()]
    named = {"weights_%d" % k: array for k, array in enumerate(weights)}
    np.savez(output, losses=LOSSES, **named)


if __name__ == "__main__":
    main(*sys.argv[1:])
