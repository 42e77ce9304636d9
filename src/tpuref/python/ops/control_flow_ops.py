"""Names of ``tensorflow.python.ops.control_flow_ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import cond, group, no_op, tuple, while_loop
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "cond",
    "group",
    "no_op",
    "tuple",
    "while_loop",
]

_explain_missing(__name__, "tf.python.ops.control_flow_ops")
