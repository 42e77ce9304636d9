"""The names under ``tf.compat.v1.estimator.tpu``."""

from tpuref.estimator.tpu_config import InputPipelineConfig as InputPipelineConfig
from tpuref.estimator.tpu_config import RunConfig as RunConfig
from tpuref.estimator.tpu_config import TPUConfig as TPUConfig
from tpuref.estimator.tpu_estimator import TPUEstimator as TPUEstimator
from tpuref.estimator.tpu_spec import TPUEstimatorSpec as TPUEstimatorSpec
from tpuref.tpu.cross_shard_optimizer import CrossShardOptimizer as CrossShardOptimizer
