"""The names under ``tf.compat.v1.distribute.cluster_resolver``."""

from tpuref.cluster_resolver.distribute import TPUClusterResolver as TPUClusterResolver
from tpuref.cluster_resolver.environment import TFConfigClusterResolver as TFConfigClusterResolver
from tpuref.cluster_resolver.resolver import ClusterResolver as ClusterResolver
