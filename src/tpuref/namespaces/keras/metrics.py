"""The names under ``tf.keras.metrics``."""

from __future__ import annotations

from tpuref.metrics.accumulated import (
    Accuracy,
    Mean,
    Metric,
    SparseCategoricalAccuracy,
    Sum,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["Accuracy", "Mean", "Metric", "SparseCategoricalAccuracy", "Sum"]

_explain_missing(__name__, "tf.keras.metrics")
