"""The names under ``tf.compat.v1.tpu.experimental``."""

from tpuref.engine.runtime.topology.topology import Topology as Topology
from tpuref.interface.tpu.bring_up import initialize_tpu_system as initialize_tpu_system
from tpuref.interface.tpu.bring_up import shutdown_tpu_system as shutdown_tpu_system
from tpuref.interface.tpu.device_assignment import DeviceAssignment as DeviceAssignment
