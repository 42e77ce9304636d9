"""The names under ``tf.metrics``: values that are counted over batches."""

from tpuref.names.namespace import attach

attach(__name__)
