"""The names of ``tf.tpu.experimental``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.runtime.topology import Topology
from tpuref.tpu.bring_up import initialize_tpu_system, shutdown_tpu_system
from tpuref.tpu.device_assignment import DeviceAssignment

__all__ = [
    "DeviceAssignment",
    "Topology",
    "initialize_tpu_system",
    "shutdown_tpu_system",
]

_explain_missing(__name__, "tf.tpu.experimental")
