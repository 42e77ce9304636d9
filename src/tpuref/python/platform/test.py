"""Names of ``tensorflow.python.platform.test`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.test import TestCase, main, mock

__all__ = [
    "TestCase",
    "main",
    "mock",
]

_explain_missing(__name__, "tf.python.platform.test")
