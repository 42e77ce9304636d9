"""The names under ``tf.compat.v2.summary``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.summary.steps import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    histogram,
    image,
    record_if,
    scalar,
    text,
)

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "create_noop_writer",
    "flush",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "text",
]

_explain_missing(__name__, "tf.compat.v2.summary")
