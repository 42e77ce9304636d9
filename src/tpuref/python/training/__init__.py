"""Names of ``tensorflow.python.training`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.training import (
    basic_session_run_hooks,
    monitored_session,
    moving_averages,
    server_lib,
    session_run_hook,
    training,
    training_util,
)

__all__ = [
    "basic_session_run_hooks",
    "monitored_session",
    "moving_averages",
    "server_lib",
    "session_run_hook",
    "training",
    "training_util",
]

_explain_missing(__name__, "tf.python.training")
