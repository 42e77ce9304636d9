"""Names of ``tensorflow.python.ops.check_ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_non_negative",
    "assert_positive",
]

_explain_missing(__name__, "tf.python.ops.check_ops")
