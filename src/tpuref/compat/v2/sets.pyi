"""The names under ``tf.compat.v2.sets``."""

from tpuref.interface.data.sparse_counts import intersection as intersection
