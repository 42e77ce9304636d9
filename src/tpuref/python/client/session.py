"""Names of ``tensorflow.python.client.session`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import InteractiveSession, Session
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "InteractiveSession",
    "Session",
]

_explain_missing(__name__, "tf.python.client.session")
