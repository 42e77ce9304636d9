"""The names under ``tf.contrib.cluster_resolver``."""

from tpuref.interface.cluster_resolver.contrib import TPUClusterResolver as TPUClusterResolver
from tpuref.interface.cluster_resolver.resolver import ClusterResolver as ClusterResolver
