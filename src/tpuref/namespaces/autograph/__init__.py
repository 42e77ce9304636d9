"""The names under ``tf.autograph``: Python is never rewritten."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.autograph import experimental

__all__ = ["experimental"]

_explain_missing(__name__, "tf.autograph")
