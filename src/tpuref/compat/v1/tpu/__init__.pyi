"""The names under ``tf.compat.v1.tpu``."""

from tpuref.compat.v1.tpu import experimental as experimental
from tpuref.interface.tpu.bfloat16 import bfloat16_scope as bfloat16_scope
from tpuref.interface.tpu.bfloat16 import bfloat16_scope_dyn as bfloat16_scope_dyn
from tpuref.interface.tpu.collectives import cross_replica_sum as cross_replica_sum
from tpuref.interface.tpu.cores import core as core
from tpuref.interface.tpu.cores import core_dyn as core_dyn
from tpuref.interface.tpu.cross_shard_optimizer import CrossShardOptimizer as CrossShardOptimizer
from tpuref.interface.tpu.host_calls import outside_compilation as outside_compilation
from tpuref.interface.tpu.host_calls import outside_compilation_dyn as outside_compilation_dyn
from tpuref.interface.tpu.padding import PaddingSpec as PaddingSpec
from tpuref.interface.tpu.replication import replicate as replicate
from tpuref.interface.tpu.replication import replicate_dyn as replicate_dyn
from tpuref.interface.tpu.replication import rewrite as rewrite
from tpuref.interface.tpu.replication import rewrite_dyn as rewrite_dyn
from tpuref.interface.tpu.sharding import batch_parallel as batch_parallel
from tpuref.interface.tpu.sharding import batch_parallel_dyn as batch_parallel_dyn
from tpuref.interface.tpu.sharding import shard as shard
from tpuref.interface.tpu.sharding import shard_dyn as shard_dyn
from tpuref.interface.tpu.system import initialize_system as initialize_system
from tpuref.interface.tpu.system import initialize_system_dyn as initialize_system_dyn
from tpuref.interface.tpu.system import shutdown_system as shutdown_system
from tpuref.interface.tpu.system import shutdown_system_dyn as shutdown_system_dyn
from tpuref.interface.tpu.xla_options import XLAOptions as XLAOptions
