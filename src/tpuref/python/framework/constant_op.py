"""Names of ``tensorflow.python.framework.constant_op`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import constant
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "constant",
]

_explain_missing(__name__, "tf.python.framework.constant_op")
