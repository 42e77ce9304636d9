"""The names under ``tf.compat.v1.tpu``."""

from tpuref.compat.v1._tpu import *
from tpuref.compat.v1.tpu import experimental as experimental
from tpuref.interface.tpu.bfloat16 import bfloat16_scope_dyn as bfloat16_scope_dyn
from tpuref.interface.tpu.cores import core_dyn as core_dyn
from tpuref.interface.tpu.host_calls import outside_compilation_dyn as outside_compilation_dyn
from tpuref.interface.tpu.padding import PaddingSpec as PaddingSpec
from tpuref.interface.tpu.replication import replicate_dyn as replicate_dyn
from tpuref.interface.tpu.replication import rewrite_dyn as rewrite_dyn
from tpuref.interface.tpu.sharding import batch_parallel_dyn as batch_parallel_dyn
from tpuref.interface.tpu.sharding import shard_dyn as shard_dyn
from tpuref.interface.tpu.system import initialize_system_dyn as initialize_system_dyn
from tpuref.interface.tpu.system import shutdown_system_dyn as shutdown_system_dyn
from tpuref.interface.tpu.xla_options import XLAOptions as XLAOptions
