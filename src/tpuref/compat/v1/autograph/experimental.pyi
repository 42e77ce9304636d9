"""The names under ``tf.compat.v1.autograph.experimental``."""

from tpuref.engine.tracing.function import do_not_convert as do_not_convert
