"""The base class of all distribution strategies: one program for several towers."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.runtime.hosts import here
from tpuref.interface.distribute.batching import reduced
from tpuref.interface.distribute.core import StrategyCore
from tpuref.interface.distribute.dataset import PerDeviceDataset, per_device_dataset
from tpuref.interface.distribute.destinations import broadcast
from tpuref.interface.distribute.explanation import Explanation, reporter
from tpuref.interface.distribute.grouping import selected_mirrored
from tpuref.interface.distribute.multi_step_context import MultiStepContext
from tpuref.interface.distribute.place import reporting
from tpuref.interface.distribute.steps import run_steps
from tpuref.interface.distribute.tower_context import TowerContext
from tpuref.interface.distribute.values import MapOutput, Mirrored, PerDevice
from tpuref.interface.distribute.variables import read_var
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.distribute.DistributionStrategy")
class DistributionStrategy(StrategyCore):
    """Runs one program on several towers, each on its own device.

    The cores of `system` run the towers; without them, the host does.  `towers` are the
    devices of the towers, and their cores.  001_66db0865fe92828f.txt has each property
    and method under its name, except for `explain_reductions` and the later names.
    """

    member = TowerContext

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

        A per-device value of the indices; the number 0 for a single tower.  It raises
        RuntimeError outside of the strategy's scope, and within a tower.

        Examples
        --------
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

    # -- towers ----------------------------------------------------------------

    def call_for_each_tower(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call `fn` once for each tower, and return its results merged.

        Each call is made in a tower context (`tf.get_tower_context`).  Its operations
        run on the tower's device.  In eager mode all towers run as one program: a
        `tf.function` is traced once for all calls, another function at each call.  A
        result is a per-device value unless all towers returned the same object.  It
        raises RuntimeError if the towers make different numbers of merge calls, outside
        of the scope, and within a tower, and ValueError if the towers return different
        structures.

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

        Examples
        --------
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
        return self._call_each(fn, args, kwargs)

    def map(
        self, map_over: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> MapOutput:
        """Call ``fn(element, *args, **kwargs)`` for each element.

        The document leaves the entry empty.  As in release 1.11, the calls are made in
        cross-tower context, and element k is assigned to device ``k % num_towers``.
        ``get()`` and `unwrap` list the results, `reduce` combines them.  `map_over` are
        the elements: a list, or a tensor, which is split along its first dimension.
        `fn`, `args` and `kwargs` are the function and its further arguments.

        Examples
        --------
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

        The destinations are a mirrored variable, a device or a list of devices; None
        for `worker_devices`.

        Examples
        --------
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     copies = strategy.broadcast(tf.constant(5.0))
        ...     [float(copy) for copy in sess.run(strategy.unwrap(copies))]
        [5.0, 5.0]
        """
        self._require_cross_tower("broadcast")
        chosen = self.towers.names if destinations is None else destinations
        copies: Mirrored = broadcast(tensor, chosen, self.towers)
        return copies

    def reduce(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
    ) -> Mirrored:
        """Return the towers' values combined, on each of the destinations.

        `aggregation` is ``tf.VariableAggregation.SUM``, ``MEAN`` or
        ``ONLY_FIRST_TOWER``.  `value` is a per-device value with one component for each
        tower, or a result of `map`.  `destinations` are the devices of the result: a
        mirrored variable, a per-device value, a device or a list of devices.  `value`
        itself stands for all towers.  It raises ValueError if `aggregation` is unknown,
        the kind of `value` does not fit, or `destinations` names no device of the
        strategy.  Sums are computed in tower order; float16 and bfloat16 are added in
        float32 and rounded once.  Summing means over the towers' batches logs a
        warning.

        Examples
        --------
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
        combined: Mirrored = reduced("reduce", aggregation, pairs, self.towers)[0]
        return combined

    def explain_reductions(
        self, report: Callable[[Explanation], object] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Report each reduction that is built in a block.

        Whenever a result is computed, the report has the towers' values, the operation,
        the divisor and the result.  This method is an addition to the document.
        `report` takes an `Explanation`; None logs the reports.  It raises TypeError if
        `report` is neither None nor callable, and RuntimeError outside of the
        strategy's scope and within a tower.

        Examples
        --------
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

    # -- variables -------------------------------------------------------------

    def read_var(self, tower_local_var: Any) -> Tensor:
        """Return the value of a variable, combined over the towers if tower-local.

        `tower_local_var` is a variable made with
        ``synchronization=tf.VariableSynchronization.ON_READ`` and an aggregation.  Any
        other variable is read normally.

        Examples
        --------
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

        Its iterator returns per-device values for `call_for_each_tower`, without an
        incomplete last round.  `dataset_fn` has no parameters and returns a
        `tf.data.Dataset`; it is called once.  It raises TypeError if `dataset_fn` is
        not callable, and ValueError if the result is not a dataset.
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

        ``run_op`` of the result runs the steps; ``last_step_outputs`` are the tensors
        that the last step set, ``non_tensor_outputs`` the other values.

        Parameters
        ----------
        fn
            Called as ``fn(context, *inputs)`` in cross-tower context, with a
            `MultiStepContext` and the next element of `iterator`: a tuple as separate
            arguments, anything else as one.
        iterator
            The iterator of a dataset; the caller initializes it.
        initial_loop_values
            Initial values of the outputs that `fn` sets.
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

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `call_for_each_tower`, in the scope of the strategy.

        Each call gets its own components of per-replica arguments.

        Examples
        --------
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
