"""Names of ``tensorflow.python.tpu.async_checkpoint`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.hooks.async_checkpoint_saver import AsyncCheckpointSaverHook

__all__ = [
    "AsyncCheckpointSaverHook",
]

_explain_missing(__name__, "tf.python.tpu.async_checkpoint")
