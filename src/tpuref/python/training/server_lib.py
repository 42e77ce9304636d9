"""Names of ``tensorflow.python.training.server_lib`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.train import ClusterSpec, Server

__all__ = [
    "ClusterSpec",
    "Server",
]

_explain_missing(__name__, "tf.python.training.server_lib")
