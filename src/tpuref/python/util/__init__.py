"""Names of ``tensorflow.python.util`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.util import nest

__all__ = [
    "nest",
]

_explain_missing(__name__, "tf.python.util")
