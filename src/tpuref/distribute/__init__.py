"""Distribution strategies: one program for several towers, or replicas.

See 001_66db0865fe92828f.txt; the names of TensorFlow 2 are in `replicas`.
"""

from __future__ import annotations

from tpuref.distribute import cluster_resolver
from tpuref.distribute import experimental as experimental
from tpuref.distribute.replicas.context import (
    InputContext,
    ReplicaContext,
    ValueContext,
)
from tpuref.distribute.replicas.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
    RunOptions,
)
from tpuref.distribute.replicas.current import (
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tpuref.distribute.replicas.kinds import (
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    OneDeviceStrategy,
    TPUStrategy,
)
from tpuref.distribute.replicas.reduce_op import ReduceOp
from tpuref.distribute.replicas.strategy import Strategy
from tpuref.distribute.values import DistributedValues
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "CrossDeviceOps",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "TPUStrategy",
    "ValueContext",
    "cluster_resolver",
    "experimental",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

_explain_missing(__name__, "tf.distribute")
