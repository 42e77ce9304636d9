"""Names of ``tensorflow.python.ops.variables`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    global_variables,
    global_variables_initializer,
    local_variables,
    local_variables_initializer,
    trainable_variables,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "global_variables",
    "global_variables_initializer",
    "local_variables",
    "local_variables_initializer",
    "trainable_variables",
]

_explain_missing(__name__, "tf.python.ops.variables")
