"""The few names under ``tf.keras`` that training loops use without Keras."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.keras import losses, metrics, optimizers

__all__ = ["losses", "metrics", "optimizers"]

_explain_missing(__name__, "tf.keras")
