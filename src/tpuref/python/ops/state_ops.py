"""Names of ``tensorflow.python.ops.state_ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    assign,
    assign_add,
    assign_sub,
    scatter_add,
    scatter_sub,
    scatter_update,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "assign",
    "assign_add",
    "assign_sub",
    "scatter_add",
    "scatter_sub",
    "scatter_update",
]

_explain_missing(__name__, "tf.python.ops.state_ops")
