"""The documented names under ``tf.distribute.cluster_resolver``."""

from __future__ import annotations

from tpuref.cluster_resolver.distribute import TPUClusterResolver
from tpuref.cluster_resolver.environment import TFConfigClusterResolver
from tpuref.cluster_resolver.resolver import ClusterResolver
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["ClusterResolver", "TFConfigClusterResolver", "TPUClusterResolver"]

_explain_missing(__name__, "tf.distribute.cluster_resolver")
