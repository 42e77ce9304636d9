"""Summaries for TensorBoard: ``tf.summary``."""
