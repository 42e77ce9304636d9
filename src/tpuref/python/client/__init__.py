"""Names of ``tensorflow.python.client`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.client import device_lib, session

__all__ = [
    "device_lib",
    "session",
]

_explain_missing(__name__, "tf.python.client")
