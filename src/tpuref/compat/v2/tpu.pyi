"""The names under ``tf.compat.v2.tpu``."""

from tpuref.compat.v1.tpu import experimental as experimental
from tpuref.interface.tpu.xla_options import XLAOptions as XLAOptions
