"""The names that ``tf.tpu`` and ``tf.contrib.tpu`` have."""

from tpuref.interface.tpu.bfloat16 import bfloat16_scope as bfloat16_scope
from tpuref.interface.tpu.collectives import cross_replica_sum as cross_replica_sum
from tpuref.interface.tpu.cores import core as core
from tpuref.interface.tpu.cross_shard_optimizer import CrossShardOptimizer as CrossShardOptimizer
from tpuref.interface.tpu.host_calls import outside_compilation as outside_compilation
from tpuref.interface.tpu.replication import replicate as replicate
from tpuref.interface.tpu.replication import rewrite as rewrite
from tpuref.interface.tpu.sharding import batch_parallel as batch_parallel
from tpuref.interface.tpu.sharding import shard as shard
from tpuref.interface.tpu.system import initialize_system as initialize_system
from tpuref.interface.tpu.system import shutdown_system as shutdown_system
