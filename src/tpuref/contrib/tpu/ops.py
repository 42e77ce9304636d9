"""The module of ``tensorflow.contrib.tpu.ops`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.tpu.ops import tpu_ops as gen_tpu_ops

__all__ = [
    "gen_tpu_ops",
]

_explain_missing(__name__, "tf.contrib.tpu.ops")
