"""The names under ``tf.keras.optimizers``: those of ``tf.optimizers``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.optimizers import SGD, Adagrad, Adam, Optimizer, RMSprop, schedules

__all__ = ["SGD", "Adagrad", "Adam", "Optimizer", "RMSprop", "schedules"]

_explain_missing(__name__, "tf.keras.optimizers")
