"""The documented names under ``tf.train``."""

from __future__ import annotations

from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef
from tpuref.cluster_resolver.server import Server, ServerDef
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["ClusterDef", "ClusterSpec", "JobDef", "Server", "ServerDef"]

_explain_missing(__name__, "tf.train")
