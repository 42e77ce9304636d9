"""Names of ``tensorflow.core.protobuf.config_pb2`` that programs import."""

from __future__ import annotations

from tpuref.graph.session_options import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
]

_explain_missing(__name__, "tf.core.protobuf.config_pb2")
