"""The documented interface to TPUs: ``tf.tpu``.

See 000_04abb9e9288042d8.txt and 003_0632b6613bf28dbc.txt.
"""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu import experimental
from tpuref.tpu.bfloat16 import bfloat16_scope, bfloat16_scope_dyn
from tpuref.tpu.collectives import cross_replica_sum
from tpuref.tpu.cores import core, core_dyn
from tpuref.tpu.host_calls import (
    outside_compilation,
    outside_compilation_dyn,
)
from tpuref.tpu.padding import PaddingSpec
from tpuref.tpu.replication import replicate, replicate_dyn, rewrite, rewrite_dyn
from tpuref.tpu.sharding import batch_parallel, batch_parallel_dyn, shard, shard_dyn
from tpuref.tpu.system import (
    initialize_system,
    initialize_system_dyn,
    shutdown_system,
    shutdown_system_dyn,
)
from tpuref.tpu.xla_options import XLAOptions

__all__ = [
    "PaddingSpec",
    "XLAOptions",
    "batch_parallel",
    "batch_parallel_dyn",
    "bfloat16_scope",
    "bfloat16_scope_dyn",
    "core",
    "core_dyn",
    "cross_replica_sum",
    "experimental",
    "initialize_system",
    "initialize_system_dyn",
    "outside_compilation",
    "outside_compilation_dyn",
    "replicate",
    "replicate_dyn",
    "rewrite",
    "rewrite_dyn",
    "shard",
    "shard_dyn",
    "shutdown_system",
    "shutdown_system_dyn",
]


_explain_missing(__name__, "tf.tpu")
