"""Names of ``tensorflow.python.platform.test`` that programs import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.test import TestCase, main

if TYPE_CHECKING:
    from unittest import mock as mock

__all__ = [
    "TestCase",
    "main",
    "mock",
]

_explain_missing(__name__, "tf.python.platform.test", mock="unittest.mock")
