"""Names of ``tensorflow.core.protobuf`` that programs import."""

from __future__ import annotations

from tpuref.core.protobuf import config_pb2, rewriter_config_pb2
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "config_pb2",
    "rewriter_config_pb2",
]

_explain_missing(__name__, "tf.core.protobuf")
