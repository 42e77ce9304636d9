"""The base of all strategies: devices, scope, and methods for optimizers.

`DistributionStrategy` adds the methods of release 1.11, `Strategy` those of TensorFlow
2.
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import listed
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.context import context
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.graph.variables import variable_creator_scope
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.tracing.function import Function, functions_run_eagerly
from tpuref.interface.distribute.batching import ReducedValues, reduced
from tpuref.interface.distribute.destinations import devices_of
from tpuref.interface.distribute.grouping import selected, unwrapped
from tpuref.interface.distribute.member import Member, SharedVariables
from tpuref.interface.distribute.place import current_place, in_scope
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.towers import call_for_each_tower
from tpuref.interface.distribute.updates import update, update_non_slot
from tpuref.interface.distribute.values import DistributedValues, container_of
from tpuref.interface.distribute.variable_creation import create_variable
from tpuref.interface.functions.dependencies import group


class StrategyCore:
    """The devices of a strategy's towers or replicas, and operations on them.

    `member` is the class of the contexts in which functions run.
    """

    is_default = False
    member: type[Member] = Member

    def __init__(
        self,
        devices: Sequence[str],
        system: Replication | None = None,
        replicas: bool = False,
    ) -> None:
        named = listed(f"{type(self).__name__}: devices", devices)
        self.towers = TowerDevices(tuple(named), system, replicas)
        self._traced: weakref.WeakKeyDictionary[
            Function[..., Any], Function[..., Any]
        ] = weakref.WeakKeyDictionary()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of towers or replicas, by which a mean over them divides."""
        return self.towers.count

    # -- scopes ----------------------------------------------------------------

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Make this the strategy of a block, and enter cross-tower context.

        Variables made in the block have a component on each of `parameter_devices`.
        Other threads are not affected.  It raises RuntimeError in the scope of another
        strategy, and within a tower.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     v = tf.get_variable("v", [])
        ...     tf.get_distribution_strategy() is strategy
        True
        >>> len(strategy.unwrap(v))
        2
        """
        return self._scope()

    @contextlib.contextmanager
    def _scope(self) -> Iterator[StrategyCore]:
        if current_place().strategy is not None:
            self._check_nesting()
            yield self
            return

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return create_variable(self.towers, next_creator, arguments)

        with in_scope(self), variable_creator_scope(creator):
            yield self

    def _check_nesting(self) -> None:
        outer = current_place().strategy
        if outer is not self:
            raise codes.NESTED_COMPUTATION.runtime_error(
                f"{self!r}: scope() was entered within the scope of {outer!r}; "
                "scopes of two strategies cannot be nested: leave the other one first"
            )
        self._require_cross_tower("scope")

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Create the variables of a block on the devices of another variable.

        The argument is a variable made in the scope, or the result of
        `non_slot_devices`.  It raises RuntimeError outside of the strategy's scope.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     with strategy.colocate_vars_with(strategy.worker_devices[1]):
        ...         w = tf.get_variable("w", [])
        >>> w.devices
        ['/replica:0/task:0/device:TPU:1']
        """
        self._require_scope("colocate_vars_with")
        devices = devices_of(
            "colocate_vars_with", colocate_with_variable, self.towers.names
        )

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return next_creator(**{"colocated": devices, **arguments})

        return variable_creator_scope(creator)

    # -- values ----------------------------------------------------------------

    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
    ) -> ReducedValues:
        """Combine several values of the towers in few sums.

        Values of one dtype and of static shape are concatenated and summed together, so
        that the towers synchronize less often.  The attribute ``collectives`` of the
        result counts the sums over the towers.  `aggregation` is as for `reduce`.
        `value_destination_pairs` are pairs of value and destinations, each as for
        `reduce`.  It raises ValueError as `reduce` does, and if an item is not a pair.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     one = strategy.call_for_each_tower(lambda: tf.constant(1.0))
        ...     two = strategy.call_for_each_tower(lambda: tf.constant([2.0, 3.0]))
        ...     sums = strategy.batch_reduce(
        ...         tf.VariableAggregation.SUM, [(one, one), (two, two)])
        >>> len(sums), sums.collectives
        (2, 1)
        """
        self._require_cross_tower("batch_reduce")
        pairs = list(value_destination_pairs)
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise codes.UNKNOWN_DEVICE.value_error(
                    "batch_reduce: value_destination_pairs must be pairs "
                    f"(value, destinations), got {pair!r}"
                )
        return reduced("batch_reduce", aggregation, pairs, self.towers)

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value.

        They are in tower order; a value without any is its own component.  The value is
        a result of `call_for_each_tower`, a variable of the scope, or anything else.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.worker_device_index)
        [0, 1]
        >>> strategy.unwrap("alone")
        ['alone']
        """
        return unwrapped(value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return a value's components, or a nest's parts for each tower."""
        if isinstance(value, DistributedValues) or not nest.is_nested(value):
            return tuple(self.unwrap(value))
        return tuple(selected(device, value) for device in self.towers.names)

    def value_container(self, value: Any) -> Any:
        """Return the container of a component, or `value` itself.

        See 001_66db0865fe92828f.txt, value_container: ``value`` is always in
        ``unwrap(value_container(value))`` for components and plain values.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     v = tf.get_variable("contained", [])
        >>> strategy.value_container(strategy.unwrap(v)[1]) is v
        True
        """
        return container_of(value)

    def group(self, value: Any, name: str | None = None) -> Operation | None:
        """Return one operation that waits for all components of a value.

        The value is a result of `call_for_each_tower`, `update` or another method.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     operations = strategy.call_for_each_tower(tf.no_op)
        >>> len(strategy.group(operations).control_inputs)
        2
        """
        parts = unwrapped(value)
        if len(parts) == 1 and name is None and isinstance(parts[0], Operation):
            return parts[0]
        return group(*parts, name=name)

    # -- variables -------------------------------------------------------------

    def update(
        self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call ``fn(component, *args, **kwargs)`` for each component of a variable.

        The results become mirrored values; for a variable on one device, the result is
        returned as it is.  `var` is a variable, possibly mirrored.  `fn` is the
        function, which changes the component that it receives.  `args` and `kwargs` are
        its further arguments; each call gets its device's components of mirrored
        values.  It raises TypeError if `var` is not a variable, or an argument differs
        between towers.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     v = tf.get_variable("grown", initializer=1.0)
        ...     grown = strategy.update(v, lambda component: component.assign_add(2.0))
        ...     sess.run(tf.global_variables_initializer())
        ...     [float(value) for value in sess.run(strategy.unwrap(grown))]
        [3.0, 3.0]
        """
        self._require_cross_tower("update")
        return update(var, fn, args, kwargs, self.towers)

    def non_slot_devices(self, var_list: Any) -> list[str]:
        """Return the devices for an optimizer's variables that are not slots.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> strategy.non_slot_devices([]) == strategy.parameter_devices
        True
        """
        return list(self.towers.names)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call ``fn(*args, **kwargs)`` on each of the devices.

        `colocate_with` is a result of `non_slot_devices`.  `fn`, `args` and `kwargs`
        are the function and its arguments.  Each call gets the components on its
        device, also of variables of the strategy.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> devices = strategy.non_slot_devices([])
        >>> def halve():
        ...     return power.assign(power / 2.0)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     with strategy.colocate_vars_with(devices):
        ...         power = tf.get_variable("power", initializer=0.5)
        ...     halved = strategy.update_non_slot(devices, halve)
        ...     sess.run(tf.global_variables_initializer())
        ...     float(sess.run(strategy.unwrap(halved))[1])
        0.25
        """
        self._require_cross_tower("update_non_slot")
        devices = devices_of("update_non_slot", colocate_with, self.towers.names)
        return update_non_slot(devices, fn, args, kwargs, self.towers)

    # -- calls -----------------------------------------------------------------

    def _call_each(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function once for each tower or replica, and merge the results."""
        variables = SharedVariables()
        contexts = [self.member(self, k, variables) for k in range(self.towers.count)]
        return call_for_each_tower(fn, args, kwargs, contexts, self.towers)

    def _program(
        self, each: Callable[..., Any], fn: Callable[..., Any]
    ) -> Callable[..., Any] | None:
        """Return a program that runs ``each(fn, ...)`` as a whole in eager mode.

        None if its operations run one by one.  Under a gradient tape they do, because
        the tape records single operations.
        """
        if not executing_eagerly() or functions_run_eagerly() or context.recorders:
            return None
        if isinstance(fn, Function):
            if fn not in self._traced:
                self._traced[fn] = fn.wrapped_in(each)
            return self._traced[fn]
        if self.towers.system is None:
            return None
        return functools.partial(Function(each).once, fn)

    # -- checks of the calling context ------------------------------------------

    def _require_scope(self, method: str) -> None:
        """Raise an error for a call of a method outside of the strategy's scope."""
        if not self._is_current():
            raise codes.WRONG_CONTEXT.runtime_error(
                f"{type(self).__name__}.{method} must be used inside of `with "
                "strategy.scope():` of the same strategy"
            )

    def _is_current(self) -> bool:
        """Whether the scope of this strategy is in force."""
        return current_place().strategy is self

    def _require_cross_tower(self, method: str) -> None:
        """Raise an error for a call within a tower, or outside of the scope."""
        self._require_scope(method)
        tower = current_place().tower
        if tower is not None and not self.is_default:
            raise codes.WRONG_CONTEXT.runtime_error(
                f"{type(self).__name__}.{method} must be used in cross-tower context, "
                f"but was called within tower {tower.number}; use "
                "tf.get_tower_context().merge_call(merge_fn, value), and call it in "
                "merge_fn(strategy, value)"
            )
