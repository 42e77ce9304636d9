"""The base class of all distribution strategies: one program for several towers."""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.base.errors import coded
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.context import context
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import TowerSystem
from tpuref.engine.graph.variables import variable_creator_scope
from tpuref.engine.runtime.hosts import here
from tpuref.engine.tracing.function import Function, functions_run_eagerly
from tpuref.interface.distribute.batching import ReducedValues, reduced
from tpuref.interface.distribute.dataset import PerDeviceDataset, per_device_dataset
from tpuref.interface.distribute.destinations import broadcast, devices_of
from tpuref.interface.distribute.explanation import Explanation, reporter
from tpuref.interface.distribute.grouping import selected, selected_mirrored, unwrapped
from tpuref.interface.distribute.multi_step_context import MultiStepContext
from tpuref.interface.distribute.shared_variables import SharedVariables
from tpuref.interface.distribute.steps import run_steps
from tpuref.interface.distribute.tower_context import (
    TowerContext,
    current_place,
    in_scope,
    reporting,
)
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.towers import call_for_each_tower
from tpuref.interface.distribute.updates import update, update_non_slot
from tpuref.interface.distribute.values import (
    DistributedValues,
    MapOutput,
    Mirrored,
    PerDevice,
    container_of,
)
from tpuref.interface.distribute.variable_creation import create_variable
from tpuref.interface.distribute.variables import read_var
from tpuref.interface.functions.control_flow import group
from tpuref.names.members import explain_missing_members

__all__ = ["DistributionStrategy"]


@explain_missing_members("tf.contrib.distribute.DistributionStrategy")
class DistributionStrategy:
    """Runs one program on several towers, each on its own device.

    Parameters
    ----------
    devices
        The device of each tower.
    system
        The cores that run the towers; None if the host runs them.

    Attributes
    ----------
    towers
        The devices of the towers, and their cores.

    References
    ----------
    001_66db0865fe92828f.txt has each property and method under its name, except for
    `explain_reductions` and the later names.
    """

    is_default = False

    def __init__(
        self, devices: Sequence[str], system: TowerSystem | None = None
    ) -> None:
        named = listed(f"{type(self).__name__}: devices", devices)
        self.towers = TowerDevices(tuple(named), system)
        self._traced: weakref.WeakKeyDictionary[Function, Function] = (
            weakref.WeakKeyDictionary()
        )

    # -- properties ------------------------------------------------------------

    @property
    def between_graph(self) -> bool:
        """Whether each worker builds its own graph: never, one program drives all."""
        return False

    @property
    def is_single_tower(self) -> bool:
        """Whether there is one tower, so that functions are called only once."""
        return self.num_towers == 1

    @property
    def num_towers(self) -> int:
        """The number of towers, by which a mean over the towers divides."""
        return self.towers.count

    @property
    def parameter_devices(self) -> list[str]:
        """The devices of the components of variables: those of the towers."""
        return list(self.towers.names)

    @property
    def worker_devices(self) -> list[str]:
        """The device of each tower, in tower order."""
        return list(self.towers.names)

    @property
    def worker_device_index(self) -> Any:
        """The index of each tower's device, as an argument for `call_for_each_tower`.

        A per-device value of the indices; the number 0 for a single tower.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope, and within a tower.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.worker_device_index)
        [0, 1]
        """
        self._require_cross_tower("worker_device_index")
        if self.is_single_tower:
            return 0
        return PerDevice({device: k for k, device in enumerate(self.towers.names)})

    @property
    def should_checkpoint(self) -> bool:
        """Whether this program saves checkpoints: on the first host only."""
        return here.is_chief()

    @property
    def should_init(self) -> bool:
        """Whether this program initializes variables: always, on every host."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this program saves summaries: on the first host only."""
        return here.is_chief()

    # -- scopes ----------------------------------------------------------------

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Make this the strategy of a block, and enter cross-tower context.

        Variables made in the block have a component on each of `parameter_devices`.
        Other threads are not affected.

        Raises
        ------
        RuntimeError
            In the scope of another strategy, and within a tower.

        Examples
        --------
        >>> import tpuref as tf
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
    def _scope(self) -> Iterator[DistributionStrategy]:
        if current_place().strategy is not None:
            self._check_nesting()
            yield self
            return

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return create_variable(self.towers, next_creator, arguments)

        with in_scope(self), variable_creator_scope(creator):
            yield self

    def _check_nesting(self) -> None:
        around = current_place().strategy
        if around is not self:
            raise coded(
                RuntimeError,
                f"{self!r}: scope() was entered within the scope of {around!r}; "
                "scopes of two strategies cannot be nested: leave the other one first",
                code=codes.NESTED_COMPUTATION,
            )
        self._require_cross_tower("scope")

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Create the variables of a block on the devices of another variable.

        Parameters
        ----------
        colocate_with_variable
            A variable made in the scope, or the result of `non_slot_devices`.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope.

        Examples
        --------
        >>> import tpuref as tf
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

    # -- towers ----------------------------------------------------------------

    def call_for_each_tower(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call `fn` once for each tower, and return its results merged.

        Each call is made in a tower context (`tf.get_tower_context`).  Its operations
        run on the tower's device.  In eager mode all towers run as one program: a
        `tf.function` is traced once for all calls, another function at each call.

        Parameters
        ----------
        fn
            The function.  In graph mode, towers run one at a time in tower order, each
            up to its next ``merge_call``.
        args, kwargs
            Its arguments; each tower gets its own component of per-device and mirrored
            values.  ``run_concurrently`` (default True) is not passed to `fn`; with
            False, eager mode runs a plain function operation by operation in this
            process, one tower after the other.

        Returns
        -------
        object
            The structure of `fn`'s results.  A leaf is a per-device value unless all
            towers returned the same object.

        Raises
        ------
        RuntimeError
            If the towers make different numbers of merge calls, or outside of the
            scope, or within a tower.
        ValueError
            If the towers return different structures.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> def merge_fn(distribution, value):
        ...     return sum(distribution.unwrap(value))
        >>> def fn(three):
        ...     context = tf.get_tower_context()
        ...     value = three + context.tower_id
        ...     return context.merge_call(merge_fn, value) + value
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.call_for_each_tower(fn, 3))
        [10, 11]
        """
        self._require_cross_tower("call_for_each_tower")
        program = self._program(self.call_for_each_tower, fn)
        if program is not None and kwargs.get("run_concurrently", True):
            kwargs.pop("run_concurrently", None)
            return program(*args, **kwargs)
        variables = SharedVariables()
        contexts = [self._tower_context(k, variables) for k in range(self.num_towers)]
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
                self._traced[fn] = fn.around(each)
            return self._traced[fn]
        if self.towers.system is None:
            return None
        return functools.partial(Function(each).once, fn)

    def _tower_context(self, number: int, variables: SharedVariables) -> TowerContext:
        return TowerContext(self, number, variables)

    def map(
        self,
        map_over: Any,
        fn: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> MapOutput:
        """Call ``fn(element, *args, **kwargs)`` for each element.

        The document leaves the entry empty.  As in release 1.11, the calls are made in
        cross-tower context, and element k is assigned to device ``k % num_towers``.

        Parameters
        ----------
        map_over
            The elements: a list, or a tensor, which is split along its first dimension.
        fn, args, kwargs
            The function and its further arguments.

        Returns
        -------
        MapOutput
            The results: ``get()`` and `unwrap` list them, `reduce` combines them.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.map([1.0, 2.0, 3.0], lambda x, factor: x * factor, 10.0).get()
        [10.0, 20.0, 30.0]
        """
        self._require_cross_tower("map")
        results = []
        for k, element in enumerate(map_over):
            device = self.towers.names[k % self.num_towers]
            with self.towers.on(device):
                own = selected_mirrored(device, (args, kwargs), "map")
                results.append(fn(element, *own[0], **own[1]))
        return MapOutput(results)

    # -- values of the towers --------------------------------------------------

    def broadcast(self, tensor: Any, destinations: Any = None) -> Mirrored:
        """Return a mirrored value: a copy on each of several devices.

        Parameters
        ----------
        tensor
            The value.
        destinations
            A mirrored variable, a device or a list of devices; None for
            `worker_devices`.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     copies = strategy.broadcast(tf.constant(5.0))
        ...     [float(copy) for copy in sess.run(strategy.unwrap(copies))]
        [5.0, 5.0]
        """
        self._require_cross_tower("broadcast")
        chosen = self.towers.names if destinations is None else destinations
        return broadcast(tensor, chosen, self.towers)

    def reduce(
        self,
        aggregation: VariableAggregation,
        value: Any,
        destinations: Any,
    ) -> Mirrored:
        """Return the towers' values combined, on each of the destinations.

        Parameters
        ----------
        aggregation
            ``tf.VariableAggregation.SUM``, ``MEAN`` or ``ONLY_FIRST_TOWER``.
        value
            A per-device value with one component for each tower, or a result of
            `map`.
        destinations
            The devices of the result: a mirrored variable, a per-device value, a device
            or a list of devices.  `value` itself stands for all towers.

        Raises
        ------
        ValueError
            If `aggregation` or the kind of `value` is not one of these, or
            `destinations` names no device of the strategy.

        Notes
        -----
        Sums are computed in tower order; float16 and bfloat16 are added in float32 and
        rounded once.  Summing means over the towers' batches logs a warning.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     losses = strategy.call_for_each_tower(
        ...         lambda: tf.constant(tf.get_tower_context().tower_id + 1.0))
        ...     mean = strategy.reduce(tf.VariableAggregation.MEAN, losses, losses)
        ...     [float(value) for value in sess.run(strategy.unwrap(mean))]
        [1.5, 1.5]
        """
        self._require_cross_tower("reduce")
        pairs = [(value, destinations)]
        return reduced("reduce", aggregation, pairs, self.towers)[0]

    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
    ) -> ReducedValues:
        """Combine several values of the towers in few sums.

        Values of one dtype and of static shape are concatenated and summed together,
        so that the towers synchronize less often.

        Parameters
        ----------
        aggregation
            As for `reduce`.
        value_destination_pairs
            Pairs of value and destinations, each as for `reduce`.

        Returns
        -------
        list of Mirrored
            One result for each pair.  The attribute ``collectives`` of the list counts
            the sums over the towers.

        Raises
        ------
        ValueError
            As for `reduce`, and if an item is not a pair.

        Examples
        --------
        >>> import tpuref as tf
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
                raise coded(
                    ValueError,
                    "batch_reduce: value_destination_pairs must be pairs "
                    f"(value, destinations), got {pair!r}",
                    code=codes.UNKNOWN_DEVICE,
                )
        return reduced("batch_reduce", aggregation, pairs, self.towers)

    def explain_reductions(
        self, report: Callable[[Explanation], object] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Report each reduction that is built in a block.

        Whenever a result is computed, the report has the towers' values, the operation,
        the divisor and the result.  This method is an addition to the document.

        Parameters
        ----------
        report
            A function that takes an `Explanation`; None to log the reports.

        Raises
        ------
        TypeError
            If `report` is neither None nor callable.
        RuntimeError
            Outside of the strategy's scope, and within a tower.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with tf.eager_execution(), strategy.scope():
        ...     losses = strategy.call_for_each_tower(
        ...         lambda: tf.constant(tf.get_tower_context().tower_id + 1.0))
        ...     with strategy.explain_reductions(print):
        ...         mean = strategy.reduce(tf.VariableAggregation.MEAN, losses, losses)
        reduced the value by MEAN: tower 0 held 1.; tower 1 held 2.; divided by 2; \
the result is 1.5
        """
        self._require_cross_tower("explain_reductions")
        return reporting(reporter(report))

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value.

        Parameters
        ----------
        value
            A result of `call_for_each_tower`, a variable of the scope, or any value.

        Returns
        -------
        list
            The components in tower order; ``[value]`` for a value without any.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.worker_device_index)
        [0, 1]
        >>> strategy.unwrap("alone")
        ['alone']
        """
        return unwrapped(value)

    def value_container(self, value: Any) -> Any:
        """Return the container of a component, or `value` itself.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     v = tf.get_variable("contained", [])
        >>> strategy.value_container(strategy.unwrap(v)[1]) is v
        True

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
            A result of `call_for_each_tower`, `update` or another method.
        name
            The name of the operation.

        Examples
        --------
        >>> import tpuref as tf
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

        Parameters
        ----------
        var
            A variable, possibly mirrored.
        fn
            The function, which changes the component that it receives.
        args, kwargs
            Its further arguments; each call gets its device's components of mirrored
            values.

        Returns
        -------
        object
            The results as mirrored values; for a variable on one device, the result
            itself.

        Raises
        ------
        TypeError
            If `var` is not a variable, or an argument differs between towers.

        Examples
        --------
        >>> import tpuref as tf
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
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> strategy.non_slot_devices([]) == strategy.parameter_devices
        True
        """
        return self.parameter_devices

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call ``fn(*args, **kwargs)`` on each of the devices.

        Parameters
        ----------
        colocate_with
            A result of `non_slot_devices`.
        fn, args, kwargs
            The function and its arguments.  Each call gets the components on its
            device, also of variables of the strategy.

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
        """
        self._require_cross_tower("update_non_slot")
        devices = devices_of("update_non_slot", colocate_with, self.towers.names)
        return update_non_slot(devices, fn, args, kwargs, self.towers)

    def read_var(self, tower_local_var: Any) -> Tensor:
        """Return the value of a variable, combined over the towers if tower-local.

        Parameters
        ----------
        tower_local_var
            A variable made with ``synchronization=tf.VariableSynchronization.ON_READ``
            and an aggregation.  Any other variable is read normally.

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
        """
        return read_var(tower_local_var)

    # -- data ------------------------------------------------------------------

    def distribute_dataset(self, dataset_fn: Callable[[], Any]) -> PerDeviceDataset:
        """Return a dataset whose elements go to the towers in turn.

        Parameters
        ----------
        dataset_fn
            A function without parameters that returns a `tf.data.Dataset`; it is called
            once.

        Returns
        -------
        PerDeviceDataset
            Its iterator returns per-device values for `call_for_each_tower`:
            consecutive elements for consecutive towers, without an incomplete last
            round.

        Raises
        ------
        TypeError
            If `dataset_fn` is not callable.
        ValueError
            If it does not return a dataset.
        """
        return per_device_dataset(dataset_fn, self.towers.names)

    def run_steps_on_dataset(
        self,
        fn: Callable[..., Any],
        iterator: Any,
        iterations: int = 1,
        initial_loop_values: Any = None,
    ) -> MultiStepContext:
        """Build an operation that runs `fn` several times on the input of a dataset.

        Parameters
        ----------
        fn
            Called as ``fn(context, *inputs)`` in cross-tower context, with a
            `MultiStepContext` and the next element of `iterator`: a tuple as separate
            arguments, anything else as one.
        iterator
            The iterator of a dataset; the caller initializes it.
        iterations
            The number of steps.
        initial_loop_values
            Initial values of the outputs that `fn` sets.

        Returns
        -------
        MultiStepContext
            Its ``run_op`` runs the steps; ``last_step_outputs`` are the tensors that
            the last step set, ``non_tensor_outputs`` the other values.
        """
        self._require_cross_tower("run_steps_on_dataset")
        return run_steps(fn, iterator, iterations, initial_loop_values, self.towers)

    # -- life ------------------------------------------------------------------

    def initialize(self) -> list[Any] | None:
        """Return the operations to initialize with: none, and None in eager mode."""
        return None if executing_eagerly() else []

    def finalize(self) -> list[Any] | None:
        """Return the operations to shut down with: none, and None in eager mode."""
        return None if executing_eagerly() else []

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Configure a session for the cluster: nothing to do for this strategy."""

    # -- later names -----------------------------------------------------------

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
            Its arguments; each call gets its own components of per-replica values.

        Examples
        --------
        >>> import tpuref as tf
        >>> strategy = tf.contrib.distribute.OneDeviceStrategy("/device:CPU:0")
        >>> strategy.run(lambda x: x + 1, args=(2,))
        3
        """
        function = f"{type(self).__name__}.run"
        values = listed(f"{function}: args", args)
        named = {} if kwargs is None else kwargs
        if not isinstance(named, Mapping):
            raise wrong_type(f"{function}: kwargs", "a dict or None", named)
        for key in named:
            instance_of(str, f"{function}: kwargs", "a dict with names as keys", key)
        with self.scope():
            return self.call_for_each_tower(fn, *values, **named)

    def experimental_run_v2(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `run`; this is its earlier name."""
        return self.run(fn, args, kwargs)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return a value's components, or a nest's parts for each tower."""
        if isinstance(value, DistributedValues) or not nest.is_nested(value):
            return tuple(self.unwrap(value))
        return tuple(selected(device, value) for device in self.towers.names)

    # -- checks of the calling context ------------------------------------------

    def _require_scope(self, method: str) -> None:
        """Raise an error for a call of a method outside of the strategy's scope."""
        if not self._is_current():
            raise coded(
                RuntimeError,
                f"{type(self).__name__}.{method} must be used inside of `with "
                "strategy.scope():` of the same strategy",
                code=codes.OUTSIDE_SCOPE,
            )

    def _is_current(self) -> bool:
        """Whether the scope of this strategy is in force."""
        return current_place().strategy is self

    def _require_cross_tower(self, method: str) -> None:
        """Raise an error for a call within a tower, or outside of the scope."""
        self._require_scope(method)
        tower = current_place().tower
        if tower is not None and not self.is_default:
            raise coded(
                RuntimeError,
                f"{type(self).__name__}.{method} must be used in cross-tower context, "
                f"but was called within tower {tower.tower_id}; use "
                "tf.get_tower_context().merge_call(merge_fn, value), and call it in "
                "merge_fn(strategy, value)",
                code=codes.IN_TOWER_CONTEXT,
            )
