"""What all distribution strategies have in common."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.base import nest
from tpuref.distribute.along import along, operation_of
from tpuref.distribute.batching import Batch, ReducedValues, Request
from tpuref.distribute.destinations import devices_of
from tpuref.distribute.documented import documented
from tpuref.distribute.explanation import reporter
from tpuref.distribute.grouping import (
    merged,
    selected,
    selected_mirrored,
    unwrapped,
)
from tpuref.distribute.later_names import LaterNames
from tpuref.distribute.reduction import (
    check_aggregation,
    contributions,
    warn_of_means,
)
from tpuref.distribute.tower_context import across_towers
from tpuref.distribute.towers import run_towers
from tpuref.distribute.values import MapOutput, Mirrored, PerDevice, container_of
from tpuref.distribute.variables import DistributedVariable, TowerLocalVariable
from tpuref.functions.arrays import identity
from tpuref.functions.control_flow import group
from tpuref.graph.aggregation import VariableAggregation
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.default import executing_eagerly, get_default_graph
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.variables import Variable

__all__ = ["DistributionStrategy"]


class DistributionStrategy(LaterNames):
    """One program for several towers, each on a device of its own.

    Parameters
    ----------
    devices
        The device of each tower.

    References
    ----------
    001_66db0865fe92828f.txt
    """

    # -- towers ----------------------------------------------------------------

    def call_for_each_tower(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call `fn` once for each tower, and return its results merged.

        Each call is made in a tower context (`tf.get_tower_context`), its operations
        are placed on the device of the tower and are carried out by that core.

        Parameters
        ----------
        fn
            The function.  In graph mode the towers' calls follow one another in tower
            order, each up to its next ``merge_call``.
        args, kwargs
            Its arguments; each tower gets its own component of per-device and mirrored
            values.  ``run_concurrently`` (default True) is not handed on: in eager mode
            it says whether the towers may run side by side.

        Returns
        -------
        object
            The structure that `fn` returned, with a per-device value in place of each
            leaf that is not one object in all towers.

        Raises
        ------
        RuntimeError
            If the towers make different numbers of merge calls, or outside of the
            scope, or within a tower.
        ValueError
            If the towers return different structures.

        References
        ----------
        001_66db0865fe92828f.txt, call_for_each_tower.
        """
        self.require_cross_tower("call_for_each_tower")
        if not callable(fn):
            raise TypeError(
                f"call_for_each_tower: fn must be callable, got {type(fn).__name__} "
                f"{fn!r}"
            )
        self._check_region()
        concurrently = kwargs.pop("run_concurrently", True)
        functions = [
            functools.partial(
                fn, *selected(device, args), **selected(device, dict(kwargs))
            )
            for device in self._devices
        ]
        return merged(run_towers(self, functions, concurrently), self._devices)

    def _check_region(self) -> None:
        """Refuse a replicated computation of another number of replicas."""
        region = get_default_graph().region
        around = None if region is None else region.replicated
        if around is not None and around.replicas != self.num_towers:
            raise RuntimeError(
                f"call_for_each_tower: {self!r} was used inside of {around.name!r}, a "
                f"replicated computation of {around.replicas} replicas; there must be "
                f"{self.num_towers}, one for each tower"
            )

    def map(
        self,
        map_over: Any,
        fn: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> MapOutput:
        """Call ``fn(element, *args, **kwargs)`` for each element.

        The document leaves the entry empty.  As in the release it belongs to, the
        calls are made in cross-tower context; element k is worked on by the device of
        tower k, counted around.

        Parameters
        ----------
        map_over
            The elements: a list, or a tensor whose first dimension is gone through.
        fn, args, kwargs
            The function and its further arguments.

        Returns
        -------
        MapOutput
            The results: ``get()`` and `unwrap` list them, `reduce` combines them.

        References
        ----------
        001_66db0865fe92828f.txt, map.
        """
        self.require_cross_tower("map")
        results = []
        for k, element in enumerate(map_over):
            device = self._devices[k % self.num_towers]
            with self.on_device(device):
                own = selected_mirrored(device, (args, kwargs), "map")
                results.append(fn(element, *own[0], **own[1]))
        return MapOutput(results)

    # -- between towers --------------------------------------------------------

    def broadcast(self, tensor: Any, destinations: Any = None) -> Mirrored:
        """Copy a value to several devices.

        Parameters
        ----------
        tensor
            The value.
        destinations
            A mirrored variable, a device or a list of devices; None for
            `worker_devices`.

        Returns
        -------
        Mirrored
            A copy on each of the devices.

        References
        ----------
        001_66db0865fe92828f.txt, broadcast.
        """
        self.require_cross_tower("broadcast")
        chosen = self._devices if destinations is None else destinations
        devices = devices_of("broadcast", chosen, self)
        value, copies = convert_to_tensor(tensor), {}
        for device in devices:
            with self.on_device(device):
                copies[device] = identity(value)
        return Mirrored(copies)

    @documented("aggregation", "value", "destinations")
    def reduce(
        self,
        aggregation: VariableAggregation,
        value: Any,
        destinations: Any,
        *,
        explain: Any = False,
    ) -> Mirrored:
        """Combine the towers' values.

        Parameters
        ----------
        aggregation
            ``tf.VariableAggregation.SUM``, ``MEAN`` or ``ONLY_FIRST_TOWER``.
        value
            A per-device value with one component for each tower, or what `map`
            returned.
        destinations
            Where the result is to be: a mirrored variable, a per-device value, a device
            or a list of devices.  `value` itself for all towers.
        explain
            True to log, whenever the result is computed, what each tower held, the
            operation, the divisor and the result; or a function that takes this
            `Explanation`.  It is an addition to the document.

        Returns
        -------
        Mirrored
            The result, on each of the destinations.

        Raises
        ------
        ValueError
            If `aggregation` is none of the three, `value` is not of that kind, or
            `destinations` names no device of the strategy.

        Notes
        -----
        Sums are formed in tower order; float16 and bfloat16 are added in float32 and
        rounded once.  A warning is logged where means over the towers' batches are
        summed.

        References
        ----------
        001_66db0865fe92828f.txt, reduce.
        """
        self.require_cross_tower("reduce")
        pairs = [(value, destinations)]
        return self._reduced("reduce", aggregation, pairs, explain)[0]

    def _reduced(
        self,
        function: str,
        aggregation: VariableAggregation,
        pairs: Sequence[tuple[Any, Any]],
        explain: Any,
    ) -> ReducedValues:
        check_aggregation(function, aggregation)
        requests = []
        for value, destinations in pairs:
            parts = contributions(function, value, self._devices)
            if aggregation is VariableAggregation.SUM:
                warn_of_means(parts)
            requests.append(Request(parts, devices_of(function, destinations, self)))
        batch = Batch(self, aggregation, reporter(function, explain))
        return batch.reduced(requests)

    def combined(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
    ) -> Any:
        """As `reduce`, where a value that all towers share counts once for each."""
        if not isinstance(value, PerDevice):
            value = PerDevice(dict.fromkeys(self._devices, value))
        return self.reduce(aggregation, value, destinations)

    @documented("aggregation", "value_destination_pairs")
    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
        *,
        explain: Any = False,
    ) -> ReducedValues:
        """Combine several values of the towers at once.

        Values of one dtype and of known shapes are laid side by side and summed
        together, so that the towers wait for one another less often.

        Parameters
        ----------
        aggregation, explain
            As for `reduce`.
        value_destination_pairs
            Pairs of value and destinations, each as for `reduce`.

        Returns
        -------
        list of Mirrored
            One result for each pair.  The attribute ``collectives`` of the list tells
            how many sums over the towers there are.

        Raises
        ------
        ValueError
            As for `reduce`, and if something is no pair.

        References
        ----------
        001_66db0865fe92828f.txt, batch_reduce.
        """
        self.require_cross_tower("batch_reduce")
        pairs = list(value_destination_pairs)
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise ValueError(
                    "batch_reduce: value_destination_pairs must be pairs "
                    f"(value, destinations), got {pair!r}"
                )
        return self._reduced("batch_reduce", aggregation, pairs, explain)

    # -- variables -------------------------------------------------------------

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

        References
        ----------
        001_66db0865fe92828f.txt, update.
        """
        self.require_cross_tower("update")
        if not isinstance(var, Variable):
            raise TypeError(
                f"update: var must be a variable, got {type(var).__name__} {var!r}"
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
            across_towers(self, device),
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
            with self.on_device(device), across_towers(self, device):
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

        References
        ----------
        001_66db0865fe92828f.txt, update_non_slot.
        """
        self.require_cross_tower("update_non_slot")
        devices = devices_of("update_non_slot", colocate_with, self)
        index = dict.fromkeys(devices)
        return self._on_each(index, fn, args, kwargs, "update_non_slot")

    def read_var(self, tower_local_var: Any) -> Tensor:
        """Return the value of a variable, combined over the towers where they differ.

        Parameters
        ----------
        tower_local_var
            A variable made with ``synchronization=tf.VariableSynchronization.ON_READ``
            and an aggregation.  Any other variable is read as it is.

        References
        ----------
        001_66db0865fe92828f.txt, read_var.
        """
        if isinstance(tower_local_var, TowerLocalVariable):
            return tower_local_var.combined()
        if not isinstance(tower_local_var, Variable):
            raise TypeError(
                "read_var: tower_local_var must be a variable, got "
                f"{type(tower_local_var).__name__} {tower_local_var!r}"
            )
        return tower_local_var.read_value()

    # -- values ----------------------------------------------------------------

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value.

        Parameters
        ----------
        value
            What `call_for_each_tower` returned, a variable of the scope, or anything.

        Returns
        -------
        list
            The components in tower order; ``[value]`` for a value without any.

        References
        ----------
        001_66db0865fe92828f.txt, unwrap.
        """
        return unwrapped(value)

    def value_container(self, value: Any) -> Any:
        """Return what `value` is a component of, or `value` itself.

        Parameters
        ----------
        value
            A component, a container, or anything.

        References
        ----------
        001_66db0865fe92828f.txt, value_container: ``value`` is always in
        ``unwrap(value_container(value))`` for components and plain values.
        """
        return container_of(value)

    def group(self, value: Any, name: str | None = None) -> Operation | None:
        """Return one operation that waits for all components of a value.

        Parameters
        ----------
        value
            A value of `call_for_each_tower`, `update` or the like.
        name
            The name of the operation.

        References
        ----------
        001_66db0865fe92828f.txt, group.
        """
        parts = unwrapped(value)
        if len(parts) == 1 and name is None and isinstance(parts[0], Operation):
            return parts[0]
        return group(*parts, name=name)

    # -- life ------------------------------------------------------------------

    def initialize(self) -> list[Any] | None:
        """Do what has to be done first: nothing.

        Returns
        -------
        list or None
            The operations to run, None in eager mode.
        """
        return None if executing_eagerly() else []

    def finalize(self) -> list[Any] | None:
        """Do what has to be done last: nothing.

        Returns
        -------
        list or None
            The operations to run, None in eager mode.
        """
        return None if executing_eagerly() else []

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Take note of the cluster: nothing to be done here."""

    # -- data ------------------------------------------------------------------

    def distribute_dataset(self, dataset_fn: Callable[[], Any]) -> Any:
        """Return a dataset whose elements go to the towers in turn.

        Parameters
        ----------
        dataset_fn
            A function without parameters that returns a `tf.data.Dataset`; it is called
            once.

        Returns
        -------
        PerDeviceDataset
            Its iterator gives per-device values for `call_for_each_tower`: consecutive
            elements for consecutive towers, without an incomplete last round.

        Raises
        ------
        TypeError
            If `dataset_fn` is not callable.
        ValueError
            If it returns no dataset.

        References
        ----------
        001_66db0865fe92828f.txt, distribute_dataset.
        """
        from tpuref.distribute.dataset import per_device_dataset

        return per_device_dataset(self, dataset_fn)

    def run_steps_on_dataset(
        self,
        fn: Callable[..., Any],
        iterator: Any,
        iterations: int = 1,
        initial_loop_values: Any = None,
    ) -> Any:
        """Build an operation that runs `fn` several times on the input of a dataset.

        Parameters
        ----------
        fn
            Called as ``fn(context, *inputs)`` in cross-tower context, with a
            `MultiStepContext` and the next element of `iterator`: a tuple as separate
            arguments, anything else as one.
        iterator
            The iterator of a dataset; initialising it is up to the caller.
        iterations
            How often.
        initial_loop_values
            Start values of the outputs that `fn` sets.

        Returns
        -------
        MultiStepContext
            Its ``run_op`` runs the steps; ``last_step_outputs`` are the tensors set in
            the last of them, ``non_tensor_outputs`` whatever else was set.

        References
        ----------
        001_66db0865fe92828f.txt, run_steps_on_dataset.
        """
        from tpuref.distribute.steps import run_steps

        self.require_cross_tower("run_steps_on_dataset")
        return run_steps(self, fn, iterator, iterations, initial_loop_values)
