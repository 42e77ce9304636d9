"""``tf.distribute.Strategy``, the base class of all strategies of TensorFlow 2."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed, wrong_type
from tpuref.engine.graph.context import context
from tpuref.engine.graph.default import begin_eagerly, executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.tpu import Replication
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.distribute.core import StrategyCore
from tpuref.interface.distribute.grouping import merged
from tpuref.interface.distribute.member import SharedVariables
from tpuref.interface.distribute.replicas.context import (
    InputContext,
    ReplicaContext,
    ValueContext,
)
from tpuref.interface.distribute.replicas.datasets import ReplicaDataset, dealt, divided
from tpuref.interface.distribute.replicas.extended import Extended
from tpuref.interface.distribute.replicas.reduce_op import reduce_op
from tpuref.interface.distribute.replicas.reduction import destination, joined, reduced
from tpuref.interface.distribute.replicas.traced import own_parts, traced_once
from tpuref.interface.distribute.values import PerDevice
from tpuref.interface.tpu.peers import replicated_region
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.distribute.Strategy")
class Strategy(StrategyCore):
    """Runs one program on several replicas, each on its own device.

    The cores of `system` run the replicas; without them, the host does.
    """

    member = ReplicaContext

    def __init__(
        self, devices: Sequence[str], system: Replication | None = None
    ) -> None:
        begin_eagerly()
        super().__init__(devices, system, replicas=True)

    @property
    def extended(self) -> Extended:
        """The methods that optimizers and layers use."""
        return Extended(self)

    @property
    def cluster_resolver(self) -> Any:
        """The resolver of the system, or None."""
        return None

    # -- running -------------------------------------------------------------------

    @overload
    def run(
        self,
        fn: Callable[..., None],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> None: ...
    @overload
    def run(
        self,
        fn: Callable[..., Tensor],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> PerDevice | Tensor: ...
    @overload
    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any: ...
    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Call `fn` once for each replica, and return its results merged.

        A `tf.function` runs as one program of all replicas.  So does a plain function
        on cores, but it is traced at each call, because it may do something else each
        time.  A result is a per-replica value unless all replicas returned the same
        object.  `args` and `kwargs` are its arguments; each call gets its own
        components of per-replica values.  `options` is accepted for compatibility.

        Examples
        --------
        >>> with tf.eager_execution():
        ...     strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        ...     @tf.function
        ...     def doubled(x):
        ...         return 2 * x
        ...     results = strategy.run(doubled, args=(tf.constant(4),))
        ...     [int(x) for x in strategy.experimental_local_results(results)]
        [8, 8]
        """
        values = listed(f"{type(self).__name__}.run: args", args)
        named = {} if kwargs is None else kwargs
        if not isinstance(named, Mapping):
            name = f"{type(self).__name__}.run: kwargs"
            raise wrong_type(name, "a dict or None", named)
        program = self._program(self._run_replicas, fn)
        if program is None:
            return self._run_replicas(fn, *values, **named)
        return program(*values, **named)

    def _run_replicas(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with self.scope():
            # A tape around the call, and values without tensors that differ between the
            # replicas, need calls of their own for each.
            alone = executing_eagerly() or context.recorders or replicated_region()
            own = None if alone else own_parts((args, kwargs), self.towers)
            if own is not None:
                replica = ReplicaContext(self, None, SharedVariables())
                results = traced_once(fn, own, replica, self.towers)
                if results is not None:
                    return results[0]
            return self._call_each(fn, args, kwargs)

    # -- results -------------------------------------------------------------------

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Return a per-replica value combined to one tensor.

        `reduce_op` is `tf.distribute.ReduceOp`, or ``"SUM"`` or ``"MEAN"``.  `value` is
        a result of `run`, or a nest of results.  `axis` are the axes of each replica's
        value to combine as well, or None.  It raises ValueError if `reduce_op` is
        unknown, the replicas' shapes differ, or `value` is a single value and the
        operation a sum.

        Examples
        --------
        >>> with tf.eager_execution():
        ...     strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        ...     rows = strategy.experimental_distribute_values_from_function(
        ...         lambda context: tf.constant([1.0, 2.0]))
        ...     print(float(strategy.reduce("SUM", rows, axis=0)))
        6.0
        """
        op = _named("Strategy.reduce", reduce_op)
        with self.scope():
            return reduced(op, value, axis, self.towers, destination())

    def gather(self, value: Any, axis: int) -> Any:
        """Return the rows of all replicas concatenated in replica order.

        The value is a result of `run`, or a nest of results.
        """
        with self.scope():
            return joined(value, axis, self.towers, destination())

    # -- data ----------------------------------------------------------------------

    def experimental_distribute_dataset(
        self, dataset: Any, options: Any = None
    ) -> ReplicaDataset:
        """Return a dataset whose batches are divided among the replicas.

        Each replica gets the same number of rows, rounded up; the last ones get fewer,
        or none.  `dataset` is a dataset of batches for all replicas together.
        `options` is accepted for compatibility.  It raises ValueError if the elements
        have no rows.
        """
        return divided(dataset, self.towers.names)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> ReplicaDataset:
        """Return a dataset whose elements are distributed to the replicas in turn.

        In an incomplete last round, replicas without an element get an empty one; if
        the batch size is static, the round is dropped.  `dataset_fn` is a function of
        an `InputContext` that returns a dataset of batches for one replica; it is
        called once.  `options` is accepted for compatibility.
        """
        described = InputContext(num_replicas_in_sync=self.num_replicas_in_sync)
        return dealt(dataset_fn(described), self.towers.names)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Return the per-replica value of a function of a `ValueContext`."""
        count = self.num_replicas_in_sync
        values = [value_fn(ValueContext(k, count)) for k in range(count)]
        return merged(values, self.towers.names, apart=True)

    def experimental_make_numpy_dataset(self, numpy_input: Any) -> Dataset:
        """Return a dataset of the rows of arrays."""
        return Dataset.from_tensor_slices(numpy_input)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Return an iterator of a dataset whose batches are divided."""
        return self._iterator(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(
        self, input_fn: Any, replication_mode: Any = None
    ) -> Any:
        """Return an iterator of the dataset of a function of an `InputContext`."""
        return self._iterator(self.distribute_datasets_from_function(input_fn))

    @staticmethod
    def _iterator(dataset: ReplicaDataset) -> Any:
        if executing_eagerly():
            return iter(dataset)
        return dataset.make_initializable_iterator()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_replicas_in_sync} replicas>"


_named = reduce_op


def refuse(function: str, argument: str, wanted: str, got: Any) -> ValueError:
    """Return an error for an argument of a strategy."""
    return codes.INVALID_ARGUMENT.value_error(
        f"{function}: {argument} must be {wanted}, got {got!r}"
    )
