"""The names under ``tf.sparse``."""

from __future__ import annotations

from tpuref.data.sparse import SparseTensor, to_dense
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["SparseTensor", "to_dense"]

_explain_missing(__name__, "tf.sparse")
