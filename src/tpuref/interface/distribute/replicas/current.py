"""The current strategy and replica, under the names of TensorFlow 2."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.interface.distribute.replicas.context import InputContext, ReplicaContext
from tpuref.interface.distribute.replicas.strategy import Strategy
from tpuref.interface.distribute.shared_variables import SharedVariables
from tpuref.interface.distribute.tower_context import current_place, in_scope
from tpuref.interface.distribute.tower_devices import TowerDevices

__all__ = [
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]


class DefaultStrategy(Strategy):
    """Runs one replica on the device that the program chooses."""

    is_default = True

    def __init__(self) -> None:
        self.towers = TowerDevices(("",), None, replicas=True)

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Enter cross-replica context, without creating mirrored variables."""
        return in_scope(None)

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

    def _is_current(self) -> bool:
        return current_place().strategy is None


class DefaultReplica(ReplicaContext):
    """The replica of a program outside of any scope."""

    def _is_current(self) -> bool:
        place = current_place()
        return place.tower is None and not place.across


DEFAULT = DefaultStrategy()
DEFAULT_REPLICA = DefaultReplica(DEFAULT, 0, SharedVariables())


def get_strategy() -> Any:
    """Return the strategy of the current scope, or one with a single replica.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return current_place().strategy or DEFAULT


def has_strategy() -> bool:
    """Return whether a strategy's scope is active.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.has_strategy()
    False
    """
    return current_place().strategy is not None


def in_cross_replica_context() -> bool:
    """Return whether the thread is in the scope of a strategy, but in no replica.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return current_place().across


def get_replica_context() -> Any:
    """Return the context of the current replica, or None in cross-replica context.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    place = current_place()
    return None if place.across else place.tower or DEFAULT_REPLICA
