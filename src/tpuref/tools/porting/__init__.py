"""Names of ``tf`` in programs for TensorFlow, read without running them."""
