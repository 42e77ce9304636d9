"""Updates of variables on the devices where their components are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import coded
from tpuref.distribute.along import along, operation_of
from tpuref.distribute.destinations import devices_of
from tpuref.distribute.grouping import merged, selected_mirrored
from tpuref.distribute.scoped_strategy import ScopedStrategy
from tpuref.distribute.tower_context import across_towers
from tpuref.distribute.values import Mirrored
from tpuref.distribute.variables import DistributedVariable, TowerLocalVariable
from tpuref.graph.default import executing_eagerly, get_default_graph
from tpuref.graph.tensor import Tensor
from tpuref.graph.variables import Variable


class UpdatingStrategy(ScopedStrategy):
    """What a strategy does with variables."""

    def update(
        self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call ``fn(component, *args, **kwargs)`` for each component of a variable.

        Parameters
        ----------
        var
            A variable, possibly mirrored.
        fn
            The function, which changes the variable that it is given.
        args, kwargs
            Its further arguments; each call gets its device's components of mirrored
            values.

        Returns
        -------
        object
            The results merged, as mirrored values; for a variable of one device the
            result itself.

        Raises
        ------
        TypeError
            If `var` is no variable, or an argument differs from tower to tower.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     v = tf.get_variable("v", initializer=1.0)
        ...     grown = strategy.update(v, lambda component: component.assign_add(2.0))
        ...     sess.run(tf.global_variables_initializer())
        ...     [float(value) for value in sess.run(strategy.unwrap(grown))]
        [3.0, 3.0]

        References
        ----------
        001_66db0865fe92828f.txt, update.
        """
        self.require_cross_tower("update")
        if not isinstance(var, Variable):
            raise coded(
                TypeError,
                f"update: var must be a variable, got {type(var).__name__} {var!r}",
                code=codes.WRONG_ARGUMENT_TYPE,
            )
        if not isinstance(var, DistributedVariable):
            return self._update_plain(var, fn, args, kwargs)
        return self._on_each(var.index, fn, args, kwargs, "update")

    def _update_plain(
        self,
        var: Variable,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        device = "" if executing_eagerly() else var.device
        own = selected_mirrored(device, (args, kwargs), "update")
        with (
            get_default_graph().device(None),
            self.on_device(device),
            across_towers(self.whole, device),
        ):
            return fn(var, *own[0], **own[1])

    def _on_each(
        self,
        index: Mapping[str, Any],
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        method: str,
    ) -> Any:
        results = []
        for device, component in index.items():
            own = selected_mirrored(device, (args, kwargs), method)
            first = () if component is None else (component,)
            with self.on_device(device), across_towers(self.whole, device):
                results.append(fn(*first, *own[0], **own[1]))
        if len(results) == 1:
            return results[0]
        whole = merged(results, list(index), Mirrored, "device")
        return nest.map_structure(self._run_together, whole)

    def _run_together(self, value: Any) -> Any:
        """Let all components of a result be computed where one of them is asked for."""
        if type(value) is not Mirrored or executing_eagerly():
            return value
        made = [operation_of(component) for component in value.components]
        copies = {}
        for device, component in value.index.items():
            with self.on_device(device):
                copies[device] = along(component, [op for op in made if op is not None])
        return Mirrored(copies)

    def non_slot_devices(self, var_list: Any) -> list[str]:
        """Return the devices for variables of an optimizer that belong to no other.

        Parameters
        ----------
        var_list
            The variables being optimized; of no matter here.

        Returns
        -------
        list of str
            `parameter_devices`, for `colocate_vars_with` and `update_non_slot`.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> strategy.non_slot_devices([]) == strategy.parameter_devices
        True

        References
        ----------
        001_66db0865fe92828f.txt, non_slot_devices.
        """
        return self.parameter_devices

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call ``fn(*args, **kwargs)`` on each of the devices.

        Parameters
        ----------
        colocate_with
            What `non_slot_devices` returned.
        fn, args, kwargs
            The function and its arguments, of which each call gets its device's
            components.  A variable of the strategy stands for its component there.

        Returns
        -------
        object
            The results merged; for one device the result itself.

        Examples
        --------
        >>> import tpuref as tf
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

        References
        ----------
        001_66db0865fe92828f.txt, update_non_slot.
        """
        self.require_cross_tower("update_non_slot")
        devices = devices_of("update_non_slot", colocate_with, self.whole)
        index = dict.fromkeys(devices)
        return self._on_each(index, fn, args, kwargs, "update_non_slot")

    def read_var(self, tower_local_var: Any) -> Tensor:
        """Return the value of a variable, combined over the towers where they differ.

        Parameters
        ----------
        tower_local_var
            A variable made with ``synchronization=tf.VariableSynchronization.ON_READ``
            and an aggregation.  Any other variable is read as it is.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     count = tf.get_variable(
        ...         "count", initializer=0.0,
        ...         synchronization=tf.VariableSynchronization.ON_READ,
        ...         aggregation=tf.VariableAggregation.SUM)
        ...     counted = strategy.call_for_each_tower(lambda: count.assign_add(1.0))
        ...     sess.run(tf.global_variables_initializer())
        ...     sess.run(strategy.group(counted))
        ...     float(sess.run(strategy.read_var(count)))
        2.0

        References
        ----------
        001_66db0865fe92828f.txt, read_var.
        """
        if isinstance(tower_local_var, TowerLocalVariable):
            return tower_local_var.combined()
        if not isinstance(tower_local_var, Variable):
            raise coded(
                TypeError,
                "read_var: tower_local_var must be a variable, got "
                f"{type(tower_local_var).__name__} {tower_local_var!r}",
                code=codes.WRONG_ARGUMENT_TYPE,
            )
        return tower_local_var.read_value()
