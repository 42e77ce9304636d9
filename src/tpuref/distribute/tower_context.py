"""Where the calling thread is: in a tower, or across the towers of a strategy."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.distribute.shared_variables import SharedVariables
from tpuref.missing.members import explain_missing_members

if TYPE_CHECKING:
    from tpuref.distribute.strategy import DistributionStrategy

__all__ = [
    "TowerContext",
    "get_cross_tower_context",
    "get_distribution_strategy",
    "get_tower_context",
    "has_distribution_strategy",
    "in_cross_tower_context",
]

Merge = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""Carries out a merge_call for the tower that made it."""


@explain_missing_members("tf.contrib.distribute.TowerContext")
class TowerContext:
    """What a function that ``call_for_each_tower`` runs can ask about its tower.

    Attributes
    ----------
    distribution_strategy
        The strategy that the tower belongs to.
    tower_id
        The number of the tower, from 0 up.
    variables
        The variables that the towers have made.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.get_tower_context().num_towers
    1

    References
    ----------
    001_66db0865fe92828f.txt, call_for_each_tower.
    """

    def __init__(
        self,
        strategy: DistributionStrategy,
        tower_id: int,
        merge: Merge,
        variables: SharedVariables,
    ) -> None:
        self.distribution_strategy = strategy
        self.tower_id = tower_id
        self.variables = variables
        self._merge = merge

    @property
    def strategy(self) -> DistributionStrategy:
        """The later name of `distribution_strategy`."""
        return self.distribution_strategy

    @property
    def replica_id_in_sync_group(self) -> int:
        """The later name of `tower_id`."""
        return self.tower_id

    @property
    def num_replicas_in_sync(self) -> int:
        """The later name of `num_towers`."""
        return self.num_towers

    @property
    def num_towers(self) -> int:
        """The number of towers of the strategy."""
        return self.distribution_strategy.num_towers

    @property
    def is_single_tower(self) -> bool:
        """Whether the strategy has one tower only."""
        return self.distribution_strategy.is_single_tower

    @property
    def device(self) -> str:
        """The device that the tower runs on, ``""`` for the default strategy."""
        return self.distribution_strategy.device_of_tower(self.tower_id)

    def merge_call(
        self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Wait for all towers, run `merge_fn` once, and return this tower's result.

        Parameters
        ----------
        merge_fn
            Called as ``merge_fn(strategy, *args, **kwargs)`` in cross-tower context,
            with per-device values in the place of the towers' arguments.
        args, kwargs
            What this tower contributes.

        Returns
        -------
        object
            What `merge_fn` returned, with this tower's components of it.

        Raises
        ------
        RuntimeError
            If the towers do not all call it equally often, or it is called by another
            thread than that of the tower or from within ``tf.cond`` or
            ``tf.while_loop``.
        """
        if get_tower_context() is not self:
            raise coded(
                RuntimeError,
                f"merge_call of tower {self.tower_id} was called outside of the "
                "tower's own function; get the context with tf.get_tower_context() "
                "where it is used",
                code=codes.MISPLACED_MERGE_CALL,
            )
        return self._merge(merge_fn, args, kwargs)

    def __repr__(self) -> str:
        return f"<TowerContext tower {self.tower_id} of {self.num_towers}>"


@dataclass(frozen=True)
class _Place:
    """Where a thread is.

    `tower` is None in cross-tower context; `update_device` is the device that update
    or update_non_slot is at.
    """

    strategy: DistributionStrategy
    tower: TowerContext | None = None
    update_device: str | None = None


class _Places(threading.local):
    def __init__(self) -> None:
        self.stack: list[_Place] = []


_places = _Places()


@contextlib.contextmanager
def _at(place: _Place) -> Iterator[None]:
    _places.stack.append(place)
    try:
        yield
    finally:
        _places.stack.pop()


def in_tower(context: TowerContext) -> contextlib.AbstractContextManager[None]:
    """Enter the context of a tower."""
    return _at(_Place(context.distribution_strategy, context))


def across_towers(
    strategy: DistributionStrategy, update_device: str | None = None
) -> contextlib.AbstractContextManager[None]:
    """Enter cross-tower context, at one device where an update goes on there."""
    return _at(_Place(strategy, None, update_device))


def _here() -> _Place:
    if _places.stack:
        return _places.stack[-1]
    from tpuref.distribute.default_strategy import DEFAULT, DEFAULT_TOWER

    return _Place(DEFAULT, DEFAULT_TOWER)


def get_tower_context() -> TowerContext | None:
    """Return the context of the tower that is being run, None across towers.

    Outside of any strategy's scope there is the context of a default strategy with one
    tower.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.get_tower_context().tower_id
    0

    References
    ----------
    001_66db0865fe92828f.txt, call_for_each_tower.
    """
    return _here().tower


def get_cross_tower_context() -> DistributionStrategy | None:
    """Return the strategy across whose towers the thread is, None within a tower."""
    place = _here()
    return None if place.tower is not None else place.strategy


def in_cross_tower_context() -> bool:
    """Return whether the thread is in cross-tower context.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.contrib.distribute.in_cross_tower_context()
    False
    """
    return get_cross_tower_context() is not None


def get_distribution_strategy() -> DistributionStrategy:
    """Return the strategy whose scope is in force, else the default strategy.

    References
    ----------
    001_66db0865fe92828f.txt, scope.
    """
    return _here().strategy


def has_distribution_strategy() -> bool:
    """Return whether the scope of a strategy is in force.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.contrib.distribute.has_distribution_strategy()
    False
    """
    return bool(_places.stack) and not _here().strategy.is_default


def update_device() -> str | None:
    """Return the device that an update of the strategy is at, None outside of one."""
    return _here().update_device


def current_device() -> str | None:
    """Return the device of the tower or update that is being run, None elsewhere."""
    place = _here()
    return place.update_device if place.tower is None else place.tower.device
