"""Names of ``tensorflow.python.estimator`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.estimator import estimator

__all__ = ["estimator"]

_explain_missing(__name__, "tf.python.estimator")
