"""The names under ``tf.compat.v2.math`` whose parameters differ from 1.x."""
