"""The names under ``tf.compat.v2.profiler``."""

from tpuref.compat.v1.profiler import experimental as experimental
