"""The contexts of towers and replicas."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.interface.distribute.place import current_place

if TYPE_CHECKING:  # only the public type of Member.strategy
    from tpuref.interface.distribute.core import StrategyCore


class SharedVariables:
    """Gives all towers the same n-th variable of a name; the first one creates it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str | None, int], Any] = {}
        self._asked: dict[tuple[str | None, int | None], int] = {}
        self._lock = threading.RLock()

    def get(self, tower: int | None, name: str | None, make: Callable[[], Any]) -> Any:
        """Return a tower's next variable of that name, creating it if it is new."""
        with self._lock:
            count = self._asked.get((name, tower), 0)
            self._asked[name, tower] = count + 1
            if (name, count) not in self._made:
                self._made[name, count] = make()
            return self._made[name, count]


class Member:
    """The tower or replica in which a function runs."""

    def __init__(
        self, strategy: StrategyCore, number: int | None, variables: SharedVariables
    ) -> None:
        self._strategy = strategy
        # None while all replicas are traced at once
        self.number = number
        self.variables = variables

    @property
    def strategy(self) -> Any:
        """The strategy that it belongs to."""
        return self._strategy

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The index of the tower or replica."""
        return self.number

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of towers or replicas of the strategy."""
        return self._strategy.towers.count

    @property
    def device(self) -> str:
        """The device that it runs on, ``""`` for the default one."""
        return "" if self.number is None else self._strategy.towers.names[self.number]

    def merge_call(
        self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Run `merge_fn` once for all towers; return this tower's part of the result.

        `merge_fn` is called as ``merge_fn(strategy, *args, **kwargs)`` in cross-tower
        context, with per-device values instead of the towers' arguments.  `args` and
        `kwargs` are this tower's arguments.  It raises RuntimeError if the towers make
        different numbers of calls, or a call comes from another thread, ``tf.cond`` or
        ``tf.while_loop``.
        """
        if not self._is_current():
            raise codes.REPLICAS_MISSING.runtime_error(
                f"merge_call of tower {self.number} was called outside of the "
                "tower's own function; get the context with tf.get_tower_context() "
                "where it is used"
            )
        function = functools.partial(merge_fn, self.strategy)
        return current_place().merge(function, args, kwargs)

    def _is_current(self) -> bool:
        """Whether the calling thread runs this tower."""
        return current_place().tower is self
