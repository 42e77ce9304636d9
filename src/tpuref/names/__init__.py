"""The public names: the home of each, and the advice for absent names.

`table` reads the lists, `namespace` makes modules of them, `message` explains the names
that TensorFlow has and tpuref does not.
"""
