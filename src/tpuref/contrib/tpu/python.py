"""Names of ``tensorflow.contrib.tpu.python``, which are those of ``python.tpu``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python import tpu
from tpuref.python.tpu import ops

__all__ = [
    "ops",
    "tpu",
]

_explain_missing(__name__, "tf.contrib.tpu.python")
