"""A trace of what host and cores do over time, for Perfetto and chrome://tracing."""

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


def __dir__() -> list[str]:
    return __all__
