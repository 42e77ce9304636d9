"""The names under ``tf.test``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.testing.test_case import (
    TestCase,
    get_temp_dir,
    is_built_with_cuda,
    is_gpu_available,
    main,
)

if TYPE_CHECKING:
    from unittest import mock as mock

__all__ = [
    "TestCase",
    "get_temp_dir",
    "is_built_with_cuda",
    "is_gpu_available",
    "main",
    "mock",
]

_explain_missing(__name__, "tf.test", mock="unittest.mock")
