"""Names of ``tensorflow.python.tpu.device_assignment`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.device_assignment import DeviceAssignment, device_assignment

__all__ = [
    "DeviceAssignment",
    "device_assignment",
]

_explain_missing(__name__, "tf.python.tpu.device_assignment")
