"""The names under ``tf.compat.v1.experimental.dlpack``."""

from tpuref.interface.functions.dlpack import from_dlpack as from_dlpack
from tpuref.interface.functions.dlpack import to_dlpack as to_dlpack
