"""The names under ``tf.contrib.summary``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.summary.contrib import (
    histogram,
    image,
    initialize,
    record_summaries_every_n_global_steps,
    scalar,
    summary_writer_initializer_op,
)
from tpuref.summary.steps import all_v2_summary_ops as all_summary_ops
from tpuref.summary.steps import (
    always_record_summaries,
    create_file_writer,
    flush,
    never_record_summaries,
)

__all__ = [
    "all_summary_ops",
    "always_record_summaries",
    "create_file_writer",
    "flush",
    "histogram",
    "image",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "summary_writer_initializer_op",
]

_explain_missing(__name__, "tf.contrib.summary")
