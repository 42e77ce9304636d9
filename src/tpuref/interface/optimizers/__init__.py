"""Optimizers as TensorFlow 2 has them: ``tf.optimizers``."""
