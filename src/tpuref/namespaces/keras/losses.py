"""The names under ``tf.keras.losses``: how losses say that they are reduced."""

from __future__ import annotations

from tpuref.losses.reduction import LossReduction as Reduction
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["Reduction"]

_explain_missing(__name__, "tf.keras.losses")
