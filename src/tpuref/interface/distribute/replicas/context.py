"""The contexts of replicas, of dataset functions and of value functions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tpuref.base import nest
from tpuref.interface.distribute.member import Member
from tpuref.interface.distribute.replicas.reduce_op import reduce_op
from tpuref.interface.distribute.replicas.reduction import joined, reduced
from tpuref.interface.functions.identity import identity
from tpuref.interface.tpu.collectives import replica_id
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.distribute.ReplicaContext")
class ReplicaContext(Member):
    """The replica in which ``strategy.run`` calls a function.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    ...     def total():
    ...         context = tf.distribute.get_replica_context()
    ...         number = tf.constant(context.replica_id_in_sync_group + 1)
    ...         return context.all_reduce("SUM", number)
    ...     [int(x) for x in strategy.experimental_local_results(strategy.run(total))]
    [3, 3]
    """

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The index of the replica; a tensor while all replicas are traced at once."""
        return replica_id() if self.number is None else self.number

    @property
    def devices(self) -> list[str]:
        """The device of the replica; the default one while all are traced at once."""
        return [self.device]

    def merge_call(
        self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Wait for all replicas, run `merge_fn` once, return this replica's result.

        `merge_fn` is called as ``merge_fn(strategy, *args, **kwargs)`` in cross-replica
        context.  `args` and `kwargs` are this replica's arguments, as ``args=(...)``
        and ``kwargs={...}``.
        """
        if not args and kwargs.keys() <= {"args", "kwargs"}:
            positional, named = kwargs.get("args") or (), kwargs.get("kwargs") or {}
        elif len(args) == 1 and isinstance(args[0], tuple) and not kwargs:
            positional, named = args[0], {}
        else:
            positional, named = args, kwargs
        return super().merge_call(merge_fn, *positional, **named)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return values combined over all replicas.

        `reduce_op` is `tf.distribute.ReduceOp`, or ``"SUM"`` or ``"MEAN"``.  `value` is
        a tensor, or a nest of tensors.  `options` is accepted for compatibility.
        """
        op = _op("ReplicaContext.all_reduce", reduce_op)
        # A tensor that all replicas share still counts once for each replica.
        leaves = [identity(leaf) for leaf in nest.flatten(value)]

        def merge(strategy: Any, *parts: Any) -> Any:
            towers = strategy.towers
            return [reduced(op, p, None, towers, towers.names[0]) for p in parts]

        if self.num_replicas_in_sync == 1:
            return value
        totals = [identity(total) for total in super().merge_call(merge, *leaves)]
        return nest.pack_sequence_as(value, totals)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Return the rows of all replicas concatenated in replica order.

        `value` is a tensor, or a nest of tensors.  `options` is accepted for
        compatibility.
        """
        leaves = nest.flatten(value)

        def merge(strategy: Any, *parts: Any) -> Any:
            towers = strategy.towers
            return [joined(part, axis, towers, towers.names[0]) for part in parts]

        if self.num_replicas_in_sync == 1:
            return value
        joined_rows = [identity(rows) for rows in super().merge_call(merge, *leaves)]
        return nest.pack_sequence_as(value, joined_rows)

    def __repr__(self) -> str:
        number = "" if self.number is None else f" {self.number}"
        return f"<ReplicaContext{number} of {self.num_replicas_in_sync}>"


_op = reduce_op


@dataclass(eq=False)
class InputContext:
    """The argument of a function that makes a dataset: its part of the input.

    There is always one pipeline, with index 0.

    Examples
    --------
    >>> tf.distribute.InputContext(num_replicas_in_sync=4).get_per_replica_batch_size(8)
    2
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the batch size of each replica.

        It raises ValueError if the batch size is not divisible by the number of
        replicas.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"InputContext.get_per_replica_batch_size: {global_batch_size} rows "
                f"cannot be divided equally among {self.num_replicas_in_sync} replicas"
            )
        return global_batch_size // self.num_replicas_in_sync


@dataclass(eq=False)
class ValueContext:
    """The argument of a function that makes the value of one replica."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1
