"""Names of ``tensorflow.python.training.moving_averages`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.moving_averages import (
    ExponentialMovingAverage,
    assign_moving_average,
)

__all__ = [
    "ExponentialMovingAverage",
    "assign_moving_average",
]

_explain_missing(__name__, "tf.python.training.moving_averages")
