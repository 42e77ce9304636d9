"""Names of ``tensorflow.python.tpu.bfloat16`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.bfloat16 import bfloat16_scope

__all__ = [
    "bfloat16_scope",
]

_explain_missing(__name__, "tf.python.tpu.bfloat16")
