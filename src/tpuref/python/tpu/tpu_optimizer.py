"""Names of ``tensorflow.python.tpu.tpu_optimizer`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.cross_shard_optimizer import CrossShardOptimizer

__all__ = [
    "CrossShardOptimizer",
]

_explain_missing(__name__, "tf.python.tpu.tpu_optimizer")
