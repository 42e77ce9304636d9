"""The names under ``tf.contrib.lookup``."""

from __future__ import annotations

from tpuref.data.vocabulary import index_table_from_file
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["index_table_from_file"]

_explain_missing(__name__, "tf.contrib.lookup")
