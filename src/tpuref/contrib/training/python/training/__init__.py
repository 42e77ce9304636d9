"""Names of ``tensorflow.contrib.training.python.training`` that programs import."""

from __future__ import annotations

from tpuref.contrib.training.python.training import evaluation
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["evaluation"]

_explain_missing(__name__, "tf.contrib.training.python.training")
