"""Summaries for TensorBoard: ``tf.summary``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.summary.event_file import FileWriter, FileWriterCache
from tpuref.summary.messages import Event, Summary
from tpuref.summary.operations import (
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    text,
)
from tpuref.summary.steps import (
    all_v2_summary_ops,
    create_file_writer,
    create_noop_writer,
    record_if,
)

__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "Summary",
    "all_v2_summary_ops",
    "create_file_writer",
    "create_noop_writer",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "record_if",
    "scalar",
    "text",
]


def __dir__() -> list[str]:
    return __all__


_explain_missing(__name__, "tf.summary")
