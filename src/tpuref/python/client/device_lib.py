"""Names of ``tensorflow.python.client.device_lib`` that programs import."""

from __future__ import annotations

from tpuref.graph.connection import connected_devices as list_local_devices
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "list_local_devices",
]

_explain_missing(__name__, "tf.python.client.device_lib")
