"""The names under ``tf.compat.v1.experimental``."""

from tpuref.compat.v1.experimental import dlpack as dlpack
from tpuref.interface.functions.optional import Optional as Optional
