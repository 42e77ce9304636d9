"""Names of ``tensorflow.python`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python import tpu

__all__ = [
    "tpu",
]

_explain_missing(__name__, "tf.python")
