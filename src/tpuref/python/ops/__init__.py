"""Names of ``tensorflow.python.ops`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    control_flow_util,
    gradients,
    init_ops,
    math_ops,
    random_ops,
    state_ops,
    variable_scope,
    variables,
)

__all__ = [
    "array_ops",
    "check_ops",
    "control_flow_ops",
    "control_flow_util",
    "gradients",
    "init_ops",
    "math_ops",
    "random_ops",
    "state_ops",
    "variable_scope",
    "variables",
]

_explain_missing(__name__, "tf.python.ops")
