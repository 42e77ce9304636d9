"""The current strategy and its context, under the names of both releases.

Outside of any scope they are the default ones: one tower or replica, and no device.
See 001_66db0865fe92828f.txt.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.interface.distribute.core import StrategyCore
from tpuref.interface.distribute.member import Member, SharedVariables
from tpuref.interface.distribute.place import current_place, in_scope
from tpuref.interface.distribute.replicas.context import InputContext, ReplicaContext
from tpuref.interface.distribute.replicas.strategy import Strategy
from tpuref.interface.distribute.strategy import DistributionStrategy
from tpuref.interface.distribute.tower_context import TowerContext


class _Default(StrategyCore):
    """The strategy of a program outside of any scope: no device, no components."""

    is_default = True

    def __init__(self) -> None:
        StrategyCore.__init__(self, [""], replicas=isinstance(self, Strategy))

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Enter cross-tower context, without creating mirrored variables."""
        return in_scope(None)

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Do nothing: variables are placed by the program."""
        return contextlib.nullcontext()

    def _is_current(self) -> bool:
        return current_place().strategy is None


class DefaultDistributionStrategy(_Default, DistributionStrategy):
    """Runs one tower on the device that the program chooses."""


class DefaultStrategy(_Default, Strategy):
    """Runs one replica on the device that the program chooses."""

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Call a function."""
        return fn(*args, **(kwargs or {}))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Return the dataset unchanged."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Return the dataset of a function."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function


class _OnlyMember(Member):
    """The tower or replica of a program outside of any scope."""

    def _is_current(self) -> bool:
        place = current_place()
        return place.tower is None and not place.across


class DefaultTower(_OnlyMember, TowerContext):
    """The tower of a program outside of any scope."""


class DefaultReplica(_OnlyMember, ReplicaContext):
    """The replica of a program outside of any scope."""


_TOWER = DefaultTower(DefaultDistributionStrategy(), 0, SharedVariables())
_REPLICA = DefaultReplica(DefaultStrategy(), 0, SharedVariables())


def get_tower_context() -> Any:
    """Return the context of the current tower, or None in cross-tower context.

    Outside of any scope, it is the context of the default strategy's only tower.  See
    001_66db0865fe92828f.txt, call_for_each_tower.

    Examples
    --------
    >>> tf.get_tower_context().tower_id
    0
    """
    place = current_place()
    return None if place.across else place.tower or _TOWER


def get_cross_tower_context() -> Any:
    """Return the current strategy in cross-tower context, None within a tower."""
    return get_distribution_strategy() if current_place().across else None


def get_distribution_strategy() -> Any:
    """Return the strategy of the current scope, or the default strategy.

    See 001_66db0865fe92828f.txt, scope.
    """
    return current_place().strategy or _TOWER.strategy


def get_strategy() -> Any:
    """Return the strategy of the current scope, or one with a single replica.

    Examples
    --------
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return current_place().strategy or _REPLICA.strategy


def has_strategy() -> bool:
    """Return whether a strategy's scope is active.

    Examples
    --------
    >>> tf.distribute.has_strategy()
    False
    """
    return current_place().strategy is not None


def in_cross_replica_context() -> bool:
    """Return whether the thread is in the scope of a strategy, but in no replica.

    Examples
    --------
    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return current_place().across


def get_replica_context() -> Any:
    """Return the context of the current replica, or None in cross-replica context.

    Examples
    --------
    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    place = current_place()
    return None if place.across else place.tower or _REPLICA


has_distribution_strategy = has_strategy
in_cross_tower_context = in_cross_replica_context
