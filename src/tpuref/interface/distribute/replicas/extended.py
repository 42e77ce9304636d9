"""``strategy.extended``: the methods for optimizers and layers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tpuref.interface.distribute.replicas.reduce_op import reduce_op
from tpuref.names.members import explain_missing_members

if TYPE_CHECKING:
    from tpuref.interface.distribute.replicas.strategy import Strategy


@explain_missing_members("tf.distribute.StrategyExtended")
class Extended:
    """The documented part of ``tf.distribute.StrategyExtended``."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device of each replica."""
        return self._strategy.towers.names

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of the components of variables."""
        return self._strategy.towers.names

    @property
    def num_hosts(self) -> int:
        """The number of hosts that feed the replicas: one."""
        return 1

    @property
    def num_replicas_per_host(self) -> int:
        """The number of replicas of each host."""
        return self._strategy.num_replicas_in_sync

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Whether replicas need values of static shape: no."""
        return False

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Create the variables of a block on the devices of another variable."""
        return self._strategy.colocate_vars_with(colocate_with_variable)

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Return a value combined over the replicas, on its destinations."""
        return self.batch_reduce_to(reduce_op, [(value, destinations)])[0]

    def batch_reduce_to(
        self,
        reduce_op: Any,
        value_destination_pairs: Sequence[tuple[Any, Any]],
        options: Any = None,
    ) -> list[Any]:
        """Return several values combined over the replicas, on their destinations."""
        op = _op("StrategyExtended.batch_reduce_to", reduce_op)
        return self._strategy.batch_reduce(op.aggregation, value_destination_pairs)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Call ``fn(component, *args, **kwargs)`` for each component of a variable."""
        results = self._strategy.update(var, fn, *args, **(kwargs or {}))
        return self._strategy.group(results) if group else results

    def value_container(self, value: Any) -> Any:
        """Return the container of a component, or `value` itself."""
        return self._strategy.value_container(value)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Return whether a variable was made in the scope of the strategy."""
        return getattr(v, "_towers", None) == self._strategy.towers

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call `fn` once for each replica."""
        return self._strategy._run_replicas(fn, *args, **(kwargs or {}))

    def non_slot_devices(self, var_list: Any) -> list[str]:
        """Return the devices for an optimizer's variables that are not slots."""
        return self._strategy.non_slot_devices(var_list)


_op = reduce_op
