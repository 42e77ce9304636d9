"""Names of ``tensorflow.core.protobuf.rewriter_config_pb2`` that programs import."""

from __future__ import annotations

from tpuref.graph.session_options import RewriterConfig
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "RewriterConfig",
]

_explain_missing(__name__, "tf.core.protobuf.rewriter_config_pb2")
