"""Names of ``tensorflow.python.tpu.ops`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.tpu.ops import tpu_ops

__all__ = [
    "tpu_ops",
]

_explain_missing(__name__, "tf.python.tpu.ops")
