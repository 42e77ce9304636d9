"""The names under ``tf.losses``."""

from tpuref.names.namespace import attach

attach(__name__)
