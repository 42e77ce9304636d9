"""The names under ``tf.layers``: functions with variables of their own."""

from tpuref.names.namespace import attach

attach(__name__)
