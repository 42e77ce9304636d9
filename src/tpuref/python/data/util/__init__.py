"""Names of ``tensorflow.python.data.util`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.data.util import nest

__all__ = [
    "nest",
]

_explain_missing(__name__, "tf.python.data.util")
