"""The names under ``tf.compat.v2.types.experimental.distributed``."""

from tpuref.interface.distribute.values import Mirrored as Mirrored
from tpuref.interface.distribute.values import PerDevice

PerReplica = PerDevice
