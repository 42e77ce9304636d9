"""The names under ``tf.compat.v1.estimator.inputs``."""

from tpuref.interface.estimator.numpy_inputs import numpy_input_fn as numpy_input_fn
