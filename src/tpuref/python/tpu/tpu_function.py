"""Names of ``tensorflow.python.tpu.tpu_function`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.shard_context import (
    TpuContext,
    get_tpu_context,
    on_device_training_loop,
    tpu_shard_context,
)

__all__ = [
    "TpuContext",
    "get_tpu_context",
    "on_device_training_loop",
    "tpu_shard_context",
]

_explain_missing(__name__, "tf.python.tpu.tpu_function")
