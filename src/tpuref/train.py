"""The documented names under ``tf.train``."""

from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef
from tpuref.cluster_resolver.server import Server, ServerDef

__all__ = ["ClusterDef", "ClusterSpec", "JobDef", "Server", "ServerDef"]
