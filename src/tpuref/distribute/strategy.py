"""What all distribution strategies have in common."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tpuref.distribute.destinations import Destinations, devices_of
from tpuref.distribute.grouping import (
    merged,
    selected,
    selected_mirrored,
    unwrapped,
)
from tpuref.distribute.reduction import (
    check_aggregation,
    contributions,
    finish,
    gathered,
)
from tpuref.distribute.tower_context import (
    across_towers,
    get_distribution_strategy,
    get_tower_context,
    has_distribution_strategy,
)
from tpuref.distribute.towers import run_towers
from tpuref.distribute.values import MapOutput, Mirrored, PerDevice, container_of
from tpuref.distribute.variable_creation import create_variable
from tpuref.distribute.variables import (
    DistributedVariable,
    TowerLocalVariable,
)
from tpuref.functions.arrays import identity
from tpuref.functions.control_flow import group
from tpuref.graph.aggregation import VariableAggregation
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.default import executing_eagerly, get_default_graph
from tpuref.graph.tensor import Operation, Tensor
from tpuref.graph.tower_place import TowerPlace, TowerSystem
from tpuref.graph.variables import Variable, variable_creator_scope

__all__ = ["DistributionStrategy"]


class DistributionStrategy:
    """One program for several towers, each on a device of its own.

    Parameters
    ----------
    devices
        The device of each tower.

    References
    ----------
    001_66db0865fe92828f.txt
    """

    is_default = False

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)
        self._towers: TowerSystem | None = None

    # -- properties ------------------------------------------------------------

    @property
    def between_graph(self) -> bool:
        """Whether each worker builds a graph of its own: never, one drives all."""
        return False

    @property
    def is_single_tower(self) -> bool:
        """Whether there is one tower, so that functions are called only once."""
        return self.num_towers == 1

    @property
    def num_towers(self) -> int:
        """The number of towers, by which a mean over the towers divides."""
        return len(self._devices)

    @property
    def parameter_devices(self) -> list[str]:
        """The devices of the components of variables: those of the towers."""
        return list(self._devices)

    @property
    def worker_devices(self) -> list[str]:
        """The device of each tower, in tower order."""
        return list(self._devices)

    @property
    def worker_device_index(self) -> Any:
        """The number of each tower's device, as an argument for `call_for_each_tower`.

        A per-device value of the numbers from 0 up; the number 0 for a single tower.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope, and within a tower.
        """
        self._require_cross_tower("worker_device_index")
        if self.is_single_tower:
            return 0
        return PerDevice({device: k for k, device in enumerate(self._devices)})

    @property
    def should_checkpoint(self) -> bool:
        """Whether this program saves checkpoints: yes, it is the only one."""
        return True

    @property
    def should_init(self) -> bool:
        """Whether this program initialises variables: yes, it is the only one."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this program saves summaries: yes, it is the only one."""
        return True

    def device_of_tower(self, tower_id: int) -> str:
        """Return the device of a tower."""
        return self._devices[tower_id]

    # -- scopes ----------------------------------------------------------------

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Make this the strategy of a block, and enter cross-tower context.

        Variables made in the block have a component on each of `parameter_devices`.
        Other threads are not affected.

        Raises
        ------
        RuntimeError
            If the scope of another strategy is in force, or within a tower.

        References
        ----------
        001_66db0865fe92828f.txt, scope.
        """
        return self._entered()

    @contextlib.contextmanager
    def _entered(self) -> Iterator[DistributionStrategy]:
        if has_distribution_strategy():
            self._check_nesting()
            yield self
            return

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return create_variable(self, next_creator, arguments)

        with across_towers(self), variable_creator_scope(creator):
            yield self

    def _check_nesting(self) -> None:
        around = get_distribution_strategy()
        if around is not self:
            raise RuntimeError(
                f"{self!r}: scope() was entered within the scope of {around!r}; the "
                "scopes of two strategies cannot be nested, leave the other first"
            )
        self._require_cross_tower("scope")

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Make the variables of a block on the devices of another one.

        Parameters
        ----------
        colocate_with_variable
            A variable made in the scope, or what `non_slot_devices` returned.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope.

        References
        ----------
        001_66db0865fe92828f.txt, colocate_vars_with.
        """
        self._require_scope("colocate_vars_with")
        devices = devices_of("colocate_vars_with", colocate_with_variable, self)

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return next_creator(**{"colocated": devices, **arguments})

        return variable_creator_scope(creator)

    @contextlib.contextmanager
    def on_device(self, device: str) -> Iterator[None]:
        """Place the operations of a block on one device."""
        graph = get_default_graph()
        with graph.device(device), graph.in_tower(self._place_of(device)):
            yield

    def _place_of(self, device: str) -> TowerPlace | None:
        """Return the tower whose core carries out what is placed on a device."""
        if self._towers is None or device not in self._devices:
            return None
        return TowerPlace(self._devices.index(device), self._towers)

    @contextlib.contextmanager
    def on_tower(self, tower_id: int) -> Iterator[None]:
        """Place the operations of a block on the device of one tower."""
        with self.on_device(self.device_of_tower(tower_id)):
            yield

    def _require_scope(self, method: str) -> None:
        if get_distribution_strategy() is not self:
            raise RuntimeError(
                f"{type(self).__name__}.{method} must be used inside of `with "
                "strategy.scope():` of the same strategy"
            )

    def _require_cross_tower(self, method: str) -> None:
        self._require_scope(method)
        context = get_tower_context()
        if context is not None and not self.is_default:
            raise RuntimeError(
                f"{type(self).__name__}.{method} must be used in cross-tower context, "
                f"but was called within tower {context.tower_id}; use "
                "tf.get_tower_context().merge_call(merge_fn, value), and call it in "
                "merge_fn(strategy, value)"
            )

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
        self._require_cross_tower("call_for_each_tower")
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
        self._require_cross_tower("map")
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
        self._require_cross_tower("broadcast")
        chosen = self._devices if destinations is None else destinations
        devices = devices_of("broadcast", chosen, self)
        return self._copied(convert_to_tensor(tensor), devices)

    def _copied(
        self,
        tensor: Tensor,
        devices: Destinations,
        finish: Callable[[Tensor], Tensor] = identity,
    ) -> Mirrored:
        copies = {}
        for device in devices:
            with self.on_device(device):
                copies[device] = finish(tensor)
        return Mirrored(copies)

    def reduce(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
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

        Returns
        -------
        Mirrored
            The result, on each of the destinations.

        Raises
        ------
        ValueError
            If `aggregation` is none of the three, `value` is not of that kind, or
            `destinations` names no device of the strategy.

        References
        ----------
        001_66db0865fe92828f.txt, reduce.
        """
        self._require_cross_tower("reduce")
        check_aggregation("reduce", aggregation)
        parts = contributions("reduce", value, self._devices)
        devices = devices_of("reduce", destinations, self)
        with self.on_device(devices[0]):
            total = gathered(aggregation, parts)
        return self._copied(total, devices, finish(aggregation, len(parts)))

    def combined(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
    ) -> Any:
        """As `reduce`, where a value that all towers share counts once for each."""
        if not isinstance(value, PerDevice):
            value = PerDevice(dict.fromkeys(self._devices, value))
        return self.reduce(aggregation, value, destinations)

    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
    ) -> list[Mirrored]:
        """Combine several values of the towers at once.

        Parameters
        ----------
        aggregation
            As for `reduce`.
        value_destination_pairs
            Pairs of value and destinations, each as for `reduce`.

        Returns
        -------
        list of Mirrored
            One result for each pair.

        References
        ----------
        001_66db0865fe92828f.txt, batch_reduce.
        """
        self._require_cross_tower("batch_reduce")
        check_aggregation("batch_reduce", aggregation)
        return [
            self.reduce(aggregation, value, destinations)
            for value, destinations in value_destination_pairs
        ]

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
        self._require_cross_tower("update")
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
        return merged(results, list(index), Mirrored, "device")

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
        self._require_cross_tower("update_non_slot")
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

        self._require_cross_tower("run_steps_on_dataset")
        return run_steps(self, fn, iterator, iterations, initial_loop_values)
