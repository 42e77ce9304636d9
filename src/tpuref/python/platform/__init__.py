"""Names of ``tensorflow.python.platform`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces import flags
from tpuref.python.platform import test, tf_logging

__all__ = [
    "flags",
    "test",
    "tf_logging",
]

_explain_missing(__name__, "tf.python.platform")
