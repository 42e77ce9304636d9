"""Names of TensorFlow that tpuref does not have: whose they are, and what to do."""
