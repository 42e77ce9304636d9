"""The public names: where each one lives, and what to do about names that are absent.

`table` reads the lists, `namespace` makes modules of them, `message` explains the names
that TensorFlow has and tpuref does not.
"""
