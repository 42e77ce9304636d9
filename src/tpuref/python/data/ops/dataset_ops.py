"""Names of ``tensorflow.python.data.ops.dataset_ops`` that programs import."""

from __future__ import annotations

from tpuref.data import Dataset
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Dataset",
]

_explain_missing(__name__, "tf.python.data.ops.dataset_ops")
