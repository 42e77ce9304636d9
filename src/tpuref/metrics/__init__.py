"""The names under ``tf.metrics``: values that are counted over batches."""

from __future__ import annotations

from tpuref.metrics.counts import (
    auc,
    false_negatives,
    false_positives,
    mean_iou,
    precision,
    recall,
    true_negatives,
    true_positives,
)
from tpuref.metrics.means import (
    accuracy,
    mean,
    mean_absolute_error,
    mean_squared_error,
    root_mean_squared_error,
)
from tpuref.metrics.ranking import precision_at_k, recall_at_k
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "accuracy",
    "auc",
    "false_negatives",
    "false_positives",
    "mean",
    "mean_absolute_error",
    "mean_iou",
    "mean_squared_error",
    "precision",
    "precision_at_k",
    "recall",
    "recall_at_k",
    "root_mean_squared_error",
    "true_negatives",
    "true_positives",
]

_explain_missing(__name__, "tf.metrics")
