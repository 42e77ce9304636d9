"""The names under ``tf.io``."""

from __future__ import annotations

from tpuref.data.parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    decode_raw,
    parse_example,
    parse_single_example,
)
from tpuref.data.whole_file import read_file
from tpuref.files.records import (
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.io import gfile

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_raw",
    "gfile",
    "parse_example",
    "parse_single_example",
    "read_file",
    "tf_record_iterator",
]

_explain_missing(__name__, "tf.io")
