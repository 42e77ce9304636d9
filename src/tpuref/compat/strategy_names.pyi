"""Later names of distribution strategies."""

from tpuref.interface.distribute.later_names import LaterName as LaterName
from tpuref.interface.distribute.later_names import TABLE as TABLE
from tpuref.interface.distribute.later_names import get_replica_context as get_replica_context
from tpuref.interface.distribute.later_names import get_strategy as get_strategy
from tpuref.interface.distribute.later_names import has_strategy as has_strategy
from tpuref.interface.distribute.later_names import in_cross_replica_context as in_cross_replica_context
from tpuref.interface.distribute.strategy import DistributionStrategy
from tpuref.interface.distribute.tower_context import TowerContext
from tpuref.interface.distribute.values import PerDevice

PerReplica = PerDevice
ReplicaContext = TowerContext
Strategy = DistributionStrategy
