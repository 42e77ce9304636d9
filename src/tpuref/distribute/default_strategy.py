"""The strategy that is in force where no other is: one tower, no device."""

from __future__ import annotations

import contextlib
from typing import Any

from tpuref.distribute.shared_variables import SharedVariables
from tpuref.distribute.strategy import DistributionStrategy
from tpuref.distribute.tower_context import TowerContext, current_place, in_scope


class DefaultStrategy(DistributionStrategy):
    """One tower on whatever device the program asks for."""

    is_default = True

    def __init__(self) -> None:
        super().__init__([""])

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Enter cross-tower context of this strategy; variables are made as ever."""
        return in_scope(None)

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Do nothing: variables go where the program puts them."""
        return contextlib.nullcontext()

    def _is_current(self) -> bool:
        return current_place().strategy is None


class DefaultTower(TowerContext):
    """The tower in which a program runs outside of any scope."""

    def _is_current(self) -> bool:
        place = current_place()
        return place.tower is None and not place.across


DEFAULT = DefaultStrategy()
DEFAULT_TOWER = DefaultTower(DEFAULT, 0, SharedVariables())
