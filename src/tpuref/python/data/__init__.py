"""Names of ``tensorflow.python.data`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.data import ops, util

__all__ = [
    "ops",
    "util",
]

_explain_missing(__name__, "tf.python.data")
