"""The names under ``tf.compat.v2.io`` whose parameters differ from 1.x."""
