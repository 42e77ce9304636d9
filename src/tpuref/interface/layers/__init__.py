"""The names under ``tf.layers``: functions with variables of their own."""
