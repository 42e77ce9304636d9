"""Names of ``tensorflow.python.tpu.tpu_estimator`` that programs import."""

from __future__ import annotations

from tpuref.estimator.tpu_estimator import TPUEstimator
from tpuref.estimator.tpu_spec import TPUEstimatorSpec
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "TPUEstimator",
    "TPUEstimatorSpec",
]

_explain_missing(__name__, "tf.python.tpu.tpu_estimator")
