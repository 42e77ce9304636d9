"""The names that ``tf.distribute`` has in both releases, with one meaning."""

from tpuref.compat.v1.distribute import cluster_resolver as cluster_resolver
from tpuref.compat.v1.distribute import experimental as experimental
from tpuref.interface.cluster_resolver.server import Server as Server
from tpuref.interface.distribute.current import get_replica_context as get_replica_context
from tpuref.interface.distribute.current import get_strategy as get_strategy
from tpuref.interface.distribute.current import has_strategy as has_strategy
from tpuref.interface.distribute.current import in_cross_replica_context as in_cross_replica_context
from tpuref.interface.distribute.dataset import PerDeviceDataset
from tpuref.interface.distribute.dataset import PerDeviceIterator
from tpuref.interface.distribute.replicas.context import InputContext as InputContext
from tpuref.interface.distribute.replicas.context import ReplicaContext as ReplicaContext
from tpuref.interface.distribute.replicas.context import ValueContext as ValueContext
from tpuref.interface.distribute.replicas.cross_device import CrossDeviceOps as CrossDeviceOps
from tpuref.interface.distribute.replicas.cross_device import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from tpuref.interface.distribute.replicas.cross_device import InputOptions as InputOptions
from tpuref.interface.distribute.replicas.cross_device import InputReplicationMode as InputReplicationMode
from tpuref.interface.distribute.replicas.cross_device import NcclAllReduce as NcclAllReduce
from tpuref.interface.distribute.replicas.cross_device import ReductionToOneDevice as ReductionToOneDevice
from tpuref.interface.distribute.replicas.cross_device import RunOptions as RunOptions
from tpuref.interface.distribute.replicas.kinds import MirroredStrategy as MirroredStrategy
from tpuref.interface.distribute.replicas.kinds import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tpuref.interface.distribute.replicas.kinds import OneDeviceStrategy as OneDeviceStrategy
from tpuref.interface.distribute.replicas.kinds import TPUStrategy as TPUStrategy
from tpuref.interface.distribute.replicas.reduce_op import ReduceOp as ReduceOp
from tpuref.interface.distribute.replicas.strategy import Strategy as Strategy
from tpuref.interface.distribute.values import DistributedValues as DistributedValues

DistributedDataset = PerDeviceDataset
DistributedIterator = PerDeviceIterator
