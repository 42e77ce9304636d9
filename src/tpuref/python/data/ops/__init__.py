"""Names of ``tensorflow.python.data.ops`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.data.ops import dataset_ops

__all__ = [
    "dataset_ops",
]

_explain_missing(__name__, "tf.python.data.ops")
