"""Names of ``tensorflow.python.ops.variable_scope`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    AUTO_REUSE,
    VariableScope,
    get_variable,
    get_variable_scope,
    variable_scope,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "get_variable",
    "get_variable_scope",
    "variable_scope",
]

_explain_missing(__name__, "tf.python.ops.variable_scope")
