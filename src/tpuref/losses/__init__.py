"""The names under ``tf.losses``."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
