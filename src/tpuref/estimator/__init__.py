"""The names under ``tf.estimator``: models that are trained by their functions."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
