"""The documented names under ``tf.train``."""

from __future__ import annotations

from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef

__all__ = ["ClusterDef", "ClusterSpec", "JobDef"]
