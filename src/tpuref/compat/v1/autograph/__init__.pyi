"""The names under ``tf.compat.v1.autograph``."""

from tpuref.compat.v1.autograph import experimental as experimental
