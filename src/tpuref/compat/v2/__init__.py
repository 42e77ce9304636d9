"""The names under ``tf.compat.v2`` that tpuref has: summaries."""

from __future__ import annotations

from tpuref.compat.v2 import summary
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["summary"]

_explain_missing(__name__, "tf.compat.v2")
