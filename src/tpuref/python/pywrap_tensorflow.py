"""Names of ``tensorflow.python.pywrap_tensorflow`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.train import NewCheckpointReader

__all__ = [
    "NewCheckpointReader",
]

_explain_missing(__name__, "tf.python.pywrap_tensorflow")
