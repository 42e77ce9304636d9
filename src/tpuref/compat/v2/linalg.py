"""The names under ``tf.compat.v2.linalg`` whose parameters differ from 1.x."""
