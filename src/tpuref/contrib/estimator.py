"""The names under ``tf.contrib.estimator``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.clipped_gradients import clip_gradients_by_norm

__all__ = ["clip_gradients_by_norm"]

_explain_missing(__name__, "tf.contrib.estimator")
