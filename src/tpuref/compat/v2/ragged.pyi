"""The names under ``tf.compat.v2.ragged``."""

from tpuref.interface.data.ragged import constant as constant
from tpuref.interface.data.ragged import map_flat_values as map_flat_values
