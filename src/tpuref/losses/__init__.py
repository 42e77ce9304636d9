"""Losses: ``tf.losses``."""
