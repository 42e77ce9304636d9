"""The names under ``tf.metrics``: values that are counted over batches."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
