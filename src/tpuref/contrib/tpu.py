"""The documented names under ``tf.contrib.tpu``."""

from __future__ import annotations

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
from tpuref.tpu.infeed_queue import InfeedQueue

__all__ = [
    "CrossShardOptimizer",
    "DeviceAssignment",
    "InfeedQueue",
    "Topology",
    "batch_parallel",
    "bfloat16_scope",
    "core",
    "cross_replica_sum",
    "device_assignment",
    "initialize_system",
    "outside_compilation",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
]

_explain_missing(__name__, "tf.contrib.tpu")
