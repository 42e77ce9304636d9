"""The names that later releases use for the same things: replica instead of tower.

`tpuref.compat.strategy_names` has the table of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.distribute.scoped_strategy import ScopedStrategy


class LaterNames(ScopedStrategy):
    """Methods of a strategy under their later names."""

    def call_for_each_tower(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call a function once for each tower."""
        raise NotImplementedError

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value."""
        raise NotImplementedError

    @property
    def num_replicas_in_sync(self) -> int:
        """The later name of `num_towers`."""
        return self.num_towers

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `call_for_each_tower`, in the scope of the strategy.

        Parameters
        ----------
        fn
            The function.
        args, kwargs
            Its arguments; of values per replica each call gets its own.

        Examples
        --------
        >>> import tpuref as tf
        >>> strategy = tf.contrib.distribute.OneDeviceStrategy("/device:CPU:0")
        >>> strategy.run(lambda x: x + 1, args=(2,))
        3
        """
        with self.scope():
            return self.call_for_each_tower(fn, *args, **dict(kwargs or {}))

    def experimental_run_v2(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `run`, of which this is an earlier name."""
        return self.run(fn, args, kwargs)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return what `unwrap` lists, as a tuple."""
        return tuple(self.unwrap(value))
