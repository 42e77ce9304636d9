"""The names under ``tf.losses``."""
