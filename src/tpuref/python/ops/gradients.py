"""Names of ``tensorflow.python.ops.gradients`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import gradients, hessians
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "gradients",
    "hessians",
]

_explain_missing(__name__, "tf.python.ops.gradients")
