"""The module of ``tensorflow.contrib.training.python`` that programs import."""

from __future__ import annotations

from tpuref.contrib.training.python import training
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["training"]

_explain_missing(__name__, "tf.contrib.training.python")
