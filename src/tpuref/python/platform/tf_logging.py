"""Names of ``tensorflow.python.platform.tf_logging`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.logging import (
    DEBUG,
    ERROR,
    FATAL,
    INFO,
    WARN,
    debug,
    error,
    fatal,
    info,
    log_first_n,
    set_verbosity,
    warn,
    warning,
)

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "info",
    "log_first_n",
    "set_verbosity",
    "warn",
    "warning",
]

_explain_missing(__name__, "tf.python.platform.tf_logging")
