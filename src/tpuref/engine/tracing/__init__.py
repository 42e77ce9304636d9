"""Functions that are traced once and then run as programs: ``tf.function``."""
