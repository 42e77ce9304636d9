"""Names of ``tensorflow.python.framework.ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    Graph,
    GraphKeys,
    Operation,
    Tensor,
    add_to_collection,
    colocate_with,
    control_dependencies,
    convert_to_tensor,
    device,
    get_collection,
    get_default_graph,
    name_scope,
    reset_default_graph,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Graph",
    "GraphKeys",
    "Operation",
    "Tensor",
    "add_to_collection",
    "colocate_with",
    "control_dependencies",
    "convert_to_tensor",
    "device",
    "get_collection",
    "get_default_graph",
    "name_scope",
    "reset_default_graph",
]

_explain_missing(__name__, "tf.python.framework.ops")
