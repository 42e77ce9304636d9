"""Traces of the host and the cores over time, for Perfetto and chrome://tracing."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.profiler import experimental
from tpuref.profiler.profile import Trace, start, stop, trace
from tpuref.profiler.summary import CoreTime, OperationTime, Summary

__all__ = [
    "CoreTime",
    "OperationTime",
    "Summary",
    "Trace",
    "experimental",
    "start",
    "stop",
    "trace",
]

_explain_missing(__name__, "tf.profiler")
