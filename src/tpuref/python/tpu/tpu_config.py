"""Names of ``tensorflow.python.tpu.tpu_config`` that programs import."""

from __future__ import annotations

from tpuref.estimator.tpu_config import InputPipelineConfig, RunConfig, TPUConfig
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
]

_explain_missing(__name__, "tf.python.tpu.tpu_config")
