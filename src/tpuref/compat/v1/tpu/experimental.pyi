"""The names under ``tf.compat.v1.tpu.experimental``."""

from tpuref.runtime.topology.topology import Topology as Topology
from tpuref.tpu.bring_up import initialize_tpu_system as initialize_tpu_system
from tpuref.tpu.bring_up import shutdown_tpu_system as shutdown_tpu_system
from tpuref.tpu.device_assignment import DeviceAssignment as DeviceAssignment
