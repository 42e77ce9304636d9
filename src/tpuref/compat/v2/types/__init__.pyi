"""The names under ``tf.compat.v2.types``."""

from tpuref.compat.v2.types import experimental as experimental
