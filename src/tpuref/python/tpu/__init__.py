"""Names of ``tensorflow.python.tpu`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.python.tpu import (
    async_checkpoint,
    bfloat16,
    device_assignment,
    ops,
    topology,
    tpu,
    tpu_config,
    tpu_estimator,
    tpu_feed,
    tpu_function,
    tpu_optimizer,
    training_loop,
)

__all__ = [
    "async_checkpoint",
    "bfloat16",
    "device_assignment",
    "ops",
    "topology",
    "tpu",
    "tpu_config",
    "tpu_estimator",
    "tpu_feed",
    "tpu_function",
    "tpu_optimizer",
    "training_loop",
]

_explain_missing(__name__, "tf.python.tpu")
