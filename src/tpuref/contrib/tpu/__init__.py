"""The documented names under ``tf.contrib.tpu``."""

from __future__ import annotations

from tpuref.contrib.tpu import ops, python
from tpuref.estimator.tpu import (
    InputPipelineConfig,
    RunConfig,
    TPUConfig,
    TPUEstimator,
    TPUEstimatorSpec,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.runtime.topology import Topology
from tpuref.tpu import (
    CrossShardOptimizer,
    batch_parallel,
    bfloat16_scope,
    core,
    cross_replica_sum,
    initialize_system,
    outside_compilation,
    replicate,
    rewrite,
    shard,
    shutdown_system,
)
from tpuref.tpu.device_assignment import DeviceAssignment, device_assignment
from tpuref.tpu.feeds import (
    infeed_dequeue,
    infeed_dequeue_tuple,
    infeed_enqueue,
    infeed_enqueue_tuple,
    outfeed_dequeue,
    outfeed_dequeue_tuple,
    outfeed_enqueue,
    outfeed_enqueue_tuple,
)
from tpuref.tpu.infeed_queue import InfeedQueue
from tpuref.tpu.training_loop import repeat, while_loop
from tpuref.training.hooks.async_checkpoint_saver import AsyncCheckpointSaverHook

__all__ = [
    "AsyncCheckpointSaverHook",
    "CrossShardOptimizer",
    "DeviceAssignment",
    "InfeedQueue",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
    "Topology",
    "batch_parallel",
    "bfloat16_scope",
    "core",
    "cross_replica_sum",
    "device_assignment",
    "infeed_dequeue",
    "infeed_dequeue_tuple",
    "infeed_enqueue",
    "infeed_enqueue_tuple",
    "initialize_system",
    "ops",
    "outfeed_dequeue",
    "outfeed_dequeue_tuple",
    "outfeed_enqueue",
    "outfeed_enqueue_tuple",
    "outside_compilation",
    "python",
    "repeat",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
    "while_loop",
]

_explain_missing(__name__, "tf.contrib.tpu")
