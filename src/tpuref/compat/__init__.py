"""The documented names under ``tf.compat``."""

from __future__ import annotations

from tpuref.compat import v1

__all__ = ["v1"]
