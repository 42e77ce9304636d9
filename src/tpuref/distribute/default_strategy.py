"""The strategy that is in force where no other is: one tower, no device."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tpuref.distribute.shared_variables import SharedVariables
from tpuref.distribute.strategy import DistributionStrategy
from tpuref.distribute.tower_context import TowerContext, across_towers


class DefaultStrategy(DistributionStrategy):
    """One tower on whatever device the program asks for."""

    is_default = True

    def __init__(self) -> None:
        super().__init__([""])

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Enter cross-tower context of this strategy; variables are made as ever."""
        return across_towers(self)

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Do nothing: variables go where the program puts them."""
        return contextlib.nullcontext()


DEFAULT = DefaultStrategy()


def _merge(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    with across_towers(DEFAULT):
        return function(DEFAULT, *args, **kwargs)


DEFAULT_TOWER = TowerContext(DEFAULT, 0, _merge, SharedVariables())
