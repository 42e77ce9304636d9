"""Names of ``tensorflow.contrib.tpu.python`` that programs import."""

from __future__ import annotations

from tpuref.contrib.tpu.python import ops, tpu
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "ops",
    "tpu",
]

_explain_missing(__name__, "tf.contrib.tpu.python")
