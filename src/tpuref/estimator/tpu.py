"""The names under ``tf.estimator.tpu``."""

from __future__ import annotations

from tpuref.estimator.tpu_config import InputPipelineConfig, RunConfig, TPUConfig
from tpuref.estimator.tpu_estimator import TPUEstimator
from tpuref.estimator.tpu_spec import TPUEstimatorSpec
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.cross_shard_optimizer import CrossShardOptimizer

__all__ = [
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
]

_explain_missing(__name__, "tf.estimator.tpu")
