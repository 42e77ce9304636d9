"""Names of ``tensorflow.python.framework`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.framework import constant_op, dtypes, errors, errors_impl, ops

__all__ = [
    "constant_op",
    "dtypes",
    "errors",
    "errors_impl",
    "ops",
]

_explain_missing(__name__, "tf.python.framework")
