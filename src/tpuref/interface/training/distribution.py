"""What training needs of the distribution strategy that it runs under.

Strategies are made for optimizers and lie above them.  `tpuref.distribute` registers
the function that tells where the calling thread is, when it is imported; before that,
no strategy exists.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.default import executing_eagerly, get_default_graph


class Strategy(Protocol):
    """The methods of a strategy that the document says are meant for optimizers.

    References
    ----------
    001_66db0865fe92828f.txt.
    """

    @property
    def num_towers(self) -> int:
        """The number of towers."""

    def value_container(self, value: Any) -> Any:
        """Return what `value` is a component of, or `value` itself."""

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Make the variables of a block on the devices of another one."""

    def reduce(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
    ) -> Any:
        """Combine the towers' values."""

    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
    ) -> Any:
        """Combine several values of the towers at once."""

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value."""

    def update(
        self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call a function for each component of a variable."""

    def non_slot_devices(self, var_list: Any) -> Any:
        """Return the devices for an optimizer's own variables."""

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call a function on each of those devices."""

    def group(self, value: Any, name: str | None = None) -> Any:
        """Return one operation that waits for all components."""


class Tower(Protocol):
    """A tower of a strategy."""

    def merge_call(
        self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Wait for all towers, and run a function once for them."""


class Place(Protocol):
    """Where a thread is."""

    @property
    def strategy(self) -> Strategy | None:
        """The strategy whose scope is in force."""

    @property
    def tower(self) -> Tower | None:
        """The tower that is running."""


_registered: list[Callable[[], Place]] = []


def register(current_place: Callable[[], Place]) -> None:
    """Let `current_place` tell where the calling thread is."""
    _registered[:] = [current_place]


def current_strategy() -> Strategy | None:
    """Return the strategy whose scope is in force."""
    return _registered[0]().strategy if _registered else None


def current_tower() -> Tower | None:
    """Return the tower that is running."""
    return _registered[0]().tower if _registered else None


def whole(variable: Any) -> Any:
    """Return the mirrored variable that a variable is a component of, or itself."""
    strategy = current_strategy()
    return variable if strategy is None else strategy.value_container(variable)


def beside(variable: Any) -> contextlib.AbstractContextManager[Any]:
    """Make the variables of a block on the devices of another one."""
    strategy = current_strategy()
    if strategy is not None:
        return strategy.colocate_vars_with(whole(variable))
    if executing_eagerly():
        return contextlib.nullcontext()
    return get_default_graph().colocate_with(variable)
