"""The names under ``tf.compat.v1.estimator.tpu``."""

from tpuref.interface.estimator.tpu_config import InputPipelineConfig as InputPipelineConfig
from tpuref.interface.estimator.tpu_config import RunConfig as RunConfig
from tpuref.interface.estimator.tpu_config import TPUConfig as TPUConfig
from tpuref.interface.estimator.tpu_estimator import TPUEstimator as TPUEstimator
from tpuref.interface.estimator.tpu_spec import TPUEstimatorSpec as TPUEstimatorSpec
from tpuref.interface.tpu.cross_shard_optimizer import CrossShardOptimizer as CrossShardOptimizer
