"""Later names of distribution strategies: replica for tower, run, local results.

The document of TPUStrategy says tower where later releases say replica.  `TABLE` lists
the available later names with the documented ones.
"""

from typing import NamedTuple

from tpuref.interface.distribute import current
from tpuref.interface.distribute.strategy import DistributionStrategy as Strategy
from tpuref.interface.distribute.tower_context import TowerContext as ReplicaContext
from tpuref.interface.distribute.values import PerDevice as PerReplica

__all__ = [
    "TABLE",
    "LaterName",
    "PerReplica",
    "ReplicaContext",
    "Strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

get_replica_context = current.get_tower_context
in_cross_replica_context = current.in_cross_tower_context
get_strategy = current.get_distribution_strategy
has_strategy = current.has_distribution_strategy


class LaterName(NamedTuple):
    """One row of the table.

    Attributes
    ----------
    later
        The later name.
    documented
        The name in the document.
    where
        Where to find it: a class that has both names, or the module
        `tpuref.compat.strategy_names`.
    difference
        How the two differ, empty if they do not.
    """

    later: str
    documented: str
    where: str
    difference: str = ""


MODULE = "tf.compat.strategy_names"

TABLE: tuple[LaterName, ...] = (
    LaterName("Strategy", "DistributionStrategy", MODULE),
    LaterName("ReplicaContext", "TowerContext", MODULE),
    LaterName("PerReplica", "PerDevice", MODULE),
    LaterName("get_replica_context", "get_tower_context", MODULE),
    LaterName("in_cross_replica_context", "in_cross_tower_context", MODULE),
    LaterName("get_strategy", "get_distribution_strategy", MODULE),
    LaterName("has_strategy", "has_distribution_strategy", MODULE),
    LaterName(
        "run",
        "call_for_each_tower",
        "Strategy",
        "the arguments are given as args=(...) and kwargs={...}; it enters the scope",
    ),
    LaterName("experimental_run_v2", "call_for_each_tower", "Strategy", "as run"),
    LaterName(
        "experimental_local_results",
        "unwrap",
        "Strategy",
        "returns a tuple, not a list",
    ),
    LaterName("num_replicas_in_sync", "num_towers", "Strategy"),
    LaterName("replica_id_in_sync_group", "tower_id", "ReplicaContext"),
    LaterName("num_replicas_in_sync", "num_towers", "ReplicaContext"),
    LaterName("strategy", "distribution_strategy", "ReplicaContext"),
    LaterName("ONLY_FIRST_REPLICA", "ONLY_FIRST_TOWER", "tf.VariableAggregation"),
)
"""The later names and the documented ones."""
