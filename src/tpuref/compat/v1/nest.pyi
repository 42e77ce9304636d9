"""The names under ``tf.compat.v1.nest``."""

from tpuref.base.nest import flatten_with_paths as flatten_with_paths
from tpuref.compat.v2.nest import *
