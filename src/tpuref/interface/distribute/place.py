"""The place of the calling thread: in a tower, or across the towers of a strategy.

A `Place` is the only state of strategies that a thread has.  Only `in_scope`,
`across_towers`, `in_tower`, `in_traced_replica` and `reporting` change it, each for one
block.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tpuref.engine.graph.context import context
from tpuref.interface.distribute.explanation import Report
from tpuref.interface.distribute.replica_trace import ReplicaTrace
from tpuref.interface.training.distribution import register

if TYPE_CHECKING:  # a place has the strategy and the member that entered it
    from tpuref.interface.distribute.core import StrategyCore
    from tpuref.interface.distribute.member import Member

Merge = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""Runs a merge_call for the tower that made it."""


def merge_alone(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run the merge function of the only tower."""
    with across_towers():
        return function(*args, **kwargs)


@dataclass(frozen=True)
class Place:
    """The place of a thread."""

    strategy: StrategyCore | None = None
    tower: Member | None = None
    across: bool = False
    # The device of the current tower or update, if any
    device: str | None = ""
    # Runs the merge calls of the tower
    merge: Merge = merge_alone
    report: Report | None = None
    # The computation of all replicas that is being traced, if any
    trace: ReplicaTrace | None = None


_OUTSIDE = Place()


def current_place() -> Place:
    """Return the place of the calling thread."""
    return context.places[-1] if context.places else _OUTSIDE


register(current_place)


@contextlib.contextmanager
def _at(place: Place) -> Iterator[None]:
    context.places.append(place)
    try:
        yield
    finally:
        context.places.pop()


def in_scope(strategy: StrategyCore | None) -> contextlib.AbstractContextManager[None]:
    """Enter cross-tower context of a strategy; None for the default one."""
    return _at(Place(strategy, across=True, device=None, report=current_place().report))


def across_towers(device: str | None = None) -> contextlib.AbstractContextManager[None]:
    """Enter cross-tower context; `device` is that of the block's update."""
    return _at(replace(current_place(), tower=None, across=True, device=device))


def in_tower(
    outer: Place, context: Member, merge: Merge
) -> contextlib.AbstractContextManager[None]:
    """Enter the context of a tower of the strategy whose place is `outer`."""
    return _at(
        replace(outer, tower=context, across=False, device=context.device, merge=merge)
    )


def in_traced_replica(
    context: Member, trace: ReplicaTrace
) -> contextlib.AbstractContextManager[None]:
    """Enter the context that stands for all replicas while they are traced."""
    place = current_place()
    return _at(Place(place.strategy, context, report=place.report, trace=trace))


@contextlib.contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Report the reductions that are built in a block."""
    with _at(replace(current_place(), report=report)):
        yield
