"""The names of ``tf.tpu.experimental``."""

from __future__ import annotations

from tpuref.runtime.topology import Topology
from tpuref.tpu.device_assignment import DeviceAssignment

__all__ = ["DeviceAssignment", "Topology"]
