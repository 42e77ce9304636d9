"""The names under ``tf.autograph.experimental``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tracing.function import do_not_convert

__all__ = ["do_not_convert"]

_explain_missing(__name__, "tf.autograph.experimental")
