"""The documented names under ``tf.contrib``."""

from __future__ import annotations

from tpuref.contrib import cluster_resolver, distribute, layers, summary, tpu, training
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["cluster_resolver", "distribute", "layers", "summary", "tpu", "training"]

_explain_missing(__name__, "tf.contrib")
