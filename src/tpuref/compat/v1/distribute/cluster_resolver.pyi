"""The names under ``tf.compat.v1.distribute.cluster_resolver``."""

from tpuref.interface.cluster_resolver.distribute import TPUClusterResolver as TPUClusterResolver
from tpuref.interface.cluster_resolver.environment import TFConfigClusterResolver as TFConfigClusterResolver
from tpuref.interface.cluster_resolver.resolver import ClusterResolver as ClusterResolver
