"""Names of ``tensorflow.python.tpu.tpu`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu import (
    batch_parallel,
    core,
    initialize_system,
    outside_compilation,
    replicate,
    rewrite,
    shard,
    shutdown_system,
)

__all__ = [
    "batch_parallel",
    "core",
    "initialize_system",
    "outside_compilation",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
]

_explain_missing(__name__, "tf.python.tpu.tpu")
