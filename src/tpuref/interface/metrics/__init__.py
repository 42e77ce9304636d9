"""The names under ``tf.metrics``: values that are counted over batches."""
