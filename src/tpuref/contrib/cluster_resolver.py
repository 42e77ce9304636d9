"""The documented names under ``tf.contrib.cluster_resolver``."""

from tpuref.cluster_resolver.contrib import TPUClusterResolver
from tpuref.cluster_resolver.resolver import ClusterResolver

__all__ = ["ClusterResolver", "TPUClusterResolver"]
