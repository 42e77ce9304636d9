"""The current strategy and tower.

Outside of any scope they are the default ones: one tower, and no device.
See 001_66db0865fe92828f.txt.
"""

from __future__ import annotations

import contextlib
from typing import Any

from tpuref.interface.distribute.shared_variables import SharedVariables
from tpuref.interface.distribute.strategy import DistributionStrategy
from tpuref.interface.distribute.tower_context import (
    TowerContext,
    current_place,
    in_scope,
)

__all__ = [
    "get_cross_tower_context",
    "get_distribution_strategy",
    "get_tower_context",
    "has_distribution_strategy",
    "in_cross_tower_context",
]


class DefaultStrategy(DistributionStrategy):
    """Runs one tower on the device that the program chooses."""

    is_default = True

    def __init__(self) -> None:
        super().__init__([""])

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


class DefaultTower(TowerContext):
    """The tower of a program outside of any scope."""

    def _is_current(self) -> bool:
        place = current_place()
        return place.tower is None and not place.across


DEFAULT = DefaultStrategy()
DEFAULT_TOWER = DefaultTower(DEFAULT, 0, SharedVariables())


def get_tower_context() -> TowerContext | None:
    """Return the context of the current tower, or None in cross-tower context.

    Outside of any scope, it is the context of the default strategy's only tower.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.get_tower_context().tower_id
    0

    References
    ----------
    001_66db0865fe92828f.txt, call_for_each_tower.
    """
    place = current_place()
    return None if place.across else place.tower or DEFAULT_TOWER


def get_cross_tower_context() -> DistributionStrategy | None:
    """Return the current strategy in cross-tower context, None within a tower."""
    return get_distribution_strategy() if current_place().across else None


def in_cross_tower_context() -> bool:
    """Return whether the thread is in cross-tower context.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.contrib.distribute.in_cross_tower_context()
    False
    """
    return current_place().across


def get_distribution_strategy() -> DistributionStrategy:
    """Return the strategy of the current scope, or the default strategy.

    References
    ----------
    001_66db0865fe92828f.txt, scope.
    """
    return current_place().strategy or DEFAULT


def has_distribution_strategy() -> bool:
    """Return whether a strategy's scope is active.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.contrib.distribute.has_distribution_strategy()
    False
    """
    return current_place().strategy is not None
