"""The current distribution strategy, as training uses it.

Imports point downward, from strategies to optimizers.  So `tpuref.distribute` registers
a function that returns the place of the calling thread when it is imported; before
that, no strategy exists.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.default import executing_eagerly, get_default_graph


class Strategy(Protocol):
    """The methods of a strategy that the document intends for optimizers.

    See 001_66db0865fe92828f.txt.
    """

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of towers."""

    def value_container(self, value: Any) -> Any:
        """Return the container of a component, or `value` itself."""

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Create the variables of a block on the devices of another variable."""

    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
    ) -> Any:
        """Combine several values of the towers in few sums."""

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value."""

    def update(
        self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call a function for each component of a variable."""

    def non_slot_devices(self, var_list: Any) -> Any:
        """Return the devices for an optimizer's non-slot variables."""

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
    """The place of a thread."""

    @property
    def strategy(self) -> Strategy | None:
        """The current strategy."""

    @property
    def tower(self) -> Tower | None:
        """The current tower."""


_registered: list[Callable[[], Place]] = []


def register(current_place: Callable[[], Place]) -> None:
    """Set the function that returns the place of the calling thread."""
    _registered[:] = [current_place]


def current_strategy() -> Strategy | None:
    """Return the current strategy, or None."""
    return _registered[0]().strategy if _registered else None


def current_tower() -> Tower | None:
    """Return the current tower, or None."""
    return _registered[0]().tower if _registered else None


def whole(variable: Any) -> Any:
    """Return the mirrored variable of a component, or the variable itself."""
    strategy = current_strategy()
    return variable if strategy is None else strategy.value_container(variable)


def beside(variable: Any) -> contextlib.AbstractContextManager[Any]:
    """Create the variables of a block on the devices of another variable."""
    strategy = current_strategy()
    if strategy is not None:
        return strategy.colocate_vars_with(whole(variable))
    if executing_eagerly():
        return contextlib.nullcontext()
    return get_default_graph().colocate_with(variable)
