"""The names under ``tf.python_io``."""

from __future__ import annotations

from tpuref.files.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "tf_record_iterator",
]

_explain_missing(__name__, "tf.python_io")
