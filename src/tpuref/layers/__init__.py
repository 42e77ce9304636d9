"""The names under ``tf.layers``: functions with variables of their own."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
