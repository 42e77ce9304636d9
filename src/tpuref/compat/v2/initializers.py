"""The names under ``tf.compat.v2.initializers`` whose parameters differ from 1.x."""
