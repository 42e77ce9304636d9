"""Names of ``tensorflow.python.ops.control_flow_util`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import enable_control_flow_v2
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["enable_control_flow_v2"]

_explain_missing(__name__, "tf.python.ops.control_flow_util")
