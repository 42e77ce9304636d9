"""The names under ``tf.strings``."""

from __future__ import annotations

from tpuref.functions.strings import join, regex_replace
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["join", "regex_replace"]

_explain_missing(__name__, "tf.strings")
