"""The names of ``tf.tpu.experimental``."""

from tpuref.runtime.topology import Topology
from tpuref.tpu.device_assignment import DeviceAssignment

__all__ = ["DeviceAssignment", "Topology"]
