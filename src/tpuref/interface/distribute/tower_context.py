"""The place of the calling thread: in a tower, or across the towers of a strategy.

A `Place` is the only thread-local state of strategies.  Only `in_scope`,
`across_towers`, `in_tower` and `reporting` change it, each for one block.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.interface.distribute.explanation import Report
from tpuref.interface.distribute.replica_trace import ReplicaTrace
from tpuref.interface.distribute.shared_variables import SharedVariables
from tpuref.interface.training.distribution import register
from tpuref.names.members import explain_missing_members

if TYPE_CHECKING:  # only the public type of TowerContext.distribution_strategy
    from tpuref.interface.distribute.strategy import DistributionStrategy

__all__ = ["TowerContext"]

Merge = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""Runs a merge_call for the tower that made it."""


@explain_missing_members("tf.contrib.distribute.TowerContext")
class TowerContext:
    """The tower in which ``call_for_each_tower`` runs a function.

    Attributes
    ----------
    distribution_strategy
        The strategy that the tower belongs to.
    tower_id
        The index of the tower.
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
        variables: SharedVariables,
    ) -> None:
        self.distribution_strategy = strategy
        self.tower_id = tower_id
        self.variables = variables

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
        return self.distribution_strategy.worker_devices[self.tower_id]

    def merge_call(
        self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Run `merge_fn` once for all towers; return this tower's part of the result.

        Parameters
        ----------
        merge_fn
            Called as ``merge_fn(strategy, *args, **kwargs)`` in cross-tower context,
            with per-device values instead of the towers' arguments.
        args, kwargs
            This tower's arguments.

        Raises
        ------
        RuntimeError
            If the towers make different numbers of calls, or a call comes from another
            thread, ``tf.cond`` or ``tf.while_loop``.
        """
        if not self._is_current():
            raise coded(
                RuntimeError,
                f"merge_call of tower {self.tower_id} was called outside of the "
                "tower's own function; get the context with tf.get_tower_context() "
                "where it is used",
                code=codes.REPLICAS_MISSING,
            )
        function = functools.partial(merge_fn, self.distribution_strategy)
        return current_place().merge(function, args, kwargs)

    def _is_current(self) -> bool:
        """Whether the calling thread runs this tower."""
        return current_place().tower is self

    def __repr__(self) -> str:
        return f"<TowerContext tower {self.tower_id} of {self.num_towers}>"


def merge_alone(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run the merge function of the only tower."""
    with across_towers():
        return function(*args, **kwargs)


@dataclass(frozen=True)
class Place:
    """The place of a thread.

    Attributes
    ----------
    strategy
        The current strategy, None for the default strategy.
    tower
        The context of the current tower, if any.
    across
        Whether the thread is in cross-tower context.
    device
        The device of the current tower or update, if any.
    merge
        Runs the merge calls of the tower.
    report
        Receives the reports of reductions, if any.
    trace
        The computation of all replicas that is being traced, if any.
    """

    strategy: DistributionStrategy | None = None
    tower: TowerContext | None = None
    across: bool = False
    device: str | None = ""
    merge: Merge = merge_alone
    report: Report | None = None
    trace: ReplicaTrace | None = None


class _Places(threading.local):
    def __init__(self) -> None:
        self.stack = [Place()]


_places = _Places()


def current_place() -> Place:
    """Return the place of the calling thread."""
    return _places.stack[-1]


register(current_place)


@contextlib.contextmanager
def _at(place: Place) -> Iterator[None]:
    _places.stack.append(place)
    try:
        yield
    finally:
        _places.stack.pop()


def in_scope(
    strategy: DistributionStrategy | None,
) -> contextlib.AbstractContextManager[None]:
    """Enter cross-tower context of a strategy; None for the default one."""
    report = current_place().report
    return _at(Place(strategy, across=True, device=None, report=report))


def across_towers(
    device: str | None = None,
) -> contextlib.AbstractContextManager[None]:
    """Enter cross-tower context; `device` is that of the block's update."""
    return _at(replace(current_place(), tower=None, across=True, device=device))


def in_tower(
    around: Place, context: TowerContext, merge: Merge
) -> contextlib.AbstractContextManager[None]:
    """Enter the context of a tower of the strategy at the place `around`."""
    return _at(
        replace(around, tower=context, across=False, device=context.device, merge=merge)
    )


def in_traced_replica(
    context: TowerContext, trace: ReplicaTrace
) -> contextlib.AbstractContextManager[None]:
    """Enter the context that stands for all replicas while they are traced."""
    place = current_place()
    return _at(Place(place.strategy, context, report=place.report, trace=trace))


@contextlib.contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Report the reductions that are built in a block."""
    with _at(replace(current_place(), report=report)):
        yield
