"""Programs in tf.* alone, for tpuref and TensorFlow: each loss on a whole batch.

They use the syntax of Python 3.7, which TensorFlow 1.15 needs, and import NumPy only.
"""
