"""The names under ``tf.compat.v2.nn`` whose parameters differ from 1.x."""
