"""The names under ``tf.compat.v1.experimental``."""

from tpuref.interface.functions.optional import Optional as Optional
