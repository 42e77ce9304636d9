"""The documented names under ``tf.distribute.cluster_resolver``."""

from tpuref.cluster_resolver.distribute import TPUClusterResolver
from tpuref.cluster_resolver.resolver import ClusterResolver

__all__ = ["ClusterResolver", "TPUClusterResolver"]
