"""The documented names under ``tf.compat``."""

from tpuref.compat import strategy_names, v1

__all__ = ["strategy_names", "v1"]
