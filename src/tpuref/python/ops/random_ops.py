"""Names of ``tensorflow.python.ops.random_ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    random_normal,
    random_shuffle,
    random_uniform,
    truncated_normal,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "random_normal",
    "random_shuffle",
    "random_uniform",
    "truncated_normal",
]

_explain_missing(__name__, "tf.python.ops.random_ops")
