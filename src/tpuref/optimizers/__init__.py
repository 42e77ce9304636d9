"""Optimizers as TensorFlow 2 has them: ``tf.optimizers``."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
