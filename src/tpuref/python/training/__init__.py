"""Names of ``tensorflow.python.training`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.training import moving_averages, server_lib, training_util

__all__ = [
    "moving_averages",
    "server_lib",
    "training_util",
]

_explain_missing(__name__, "tf.python.training")
