"""The documented names under ``tf.contrib``."""

from __future__ import annotations

from tpuref.contrib import distribute, tpu

__all__ = ["distribute", "tpu"]
