"""The names under ``tf.estimator``: models that are trained by their functions."""

from tpuref.names.namespace import attach

attach(__name__)
