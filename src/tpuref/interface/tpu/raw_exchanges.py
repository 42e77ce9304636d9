"""The operations of ``tf.raw_ops`` between replicas, with keywords alone."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.tensor_kinds import get_static_value
from tpuref.interface.tpu.collectives import cross_replica_sum
from tpuref.interface.tpu.exchanges import all_to_all, collective_permute


def AllToAll(
    *,
    input: Any,
    group_assignment: Any,
    concat_dimension: int,
    split_dimension: int,
    split_count: int,
    name: str | None = None,
) -> Tensor:
    """Return parts of the tensors of all replicas of a group, joined.

    Parameters and errors are those of ``all_to_all`` in `tf.python.tpu.ops.tpu_ops`.
    """
    return all_to_all(
        input, concat_dimension, split_dimension, split_count, group_assignment, name
    )


def CollectivePermute(
    *, input: Any, source_target_pairs: Any, name: str | None = None
) -> Tensor:
    """Return the tensor of another replica, as ``collective_permute`` does."""
    pairs: Any = get_static_value(source_target_pairs)
    pairs = source_target_pairs if pairs is None else pairs
    return collective_permute(input, pairs, name)


def CrossReplicaSum(
    *, input: Any, group_assignment: Any, name: str | None = None
) -> Any:
    """Return the sum over the replicas of a group, as `tf.tpu.cross_replica_sum`."""
    return cross_replica_sum(input, group_assignment, name)
