"""Optimizers as TensorFlow 2 has them: ``tf.optimizers``."""

from tpuref.names.namespace import attach

attach(__name__)
