"""The documented names under ``tf.contrib.distribute``."""

from __future__ import annotations

from tpuref.tpu.per_replica import PerReplica

__all__ = ["PerReplica"]
