"""Names of ``tensorflow.core`` that programs import."""

from __future__ import annotations

from tpuref.core import protobuf
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "protobuf",
]

_explain_missing(__name__, "tf.core")
