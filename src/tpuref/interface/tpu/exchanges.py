"""Exchange tensors between replicas.

Each replica puts its tensor into its own row of zeros; their sum has the tensors of all
replicas.  The sum is exact, its gradient is right, and every executor has it.  It moves
as many times more bytes as there are replicas in a group.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.comparison import equal, greater_equal
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.creation import zeros_like
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat, split, stack
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.tpu.collectives import (
    cross_replica_sum,
    replica_groups,
    replica_id,
)
from tpuref.interface.tpu.peers import replicated_region


def all_to_all(
    x: Any,
    concat_dimension: int,
    split_dimension: int,
    split_count: int,
    group_assignment: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return parts of the tensors of all replicas of a group, joined.

    Each replica splits `x`; the k-th of a group gets the k-th part of each, in their
    order.  `x` is this replica's tensor, of a dtype that `cross_replica_sum` takes.
    `concat_dimension` and `split_dimension` are the dimensions along which parts are
    joined, and `x` is split.  `split_count` is the number of parts.  `group_assignment`
    is as for `cross_replica_sum`.  It raises ValueError if `split_count` is not the
    size of the groups, or does not divide the dimension.

    Examples
    --------
    >>> from tpuref.python.tpu.ops import tpu_ops
    >>> with tf.config.override(cores=2), tf.Session() as sess:
    ...     parts = lambda x: tpu_ops.all_to_all(x, 0, 0, 2)
    ...     exchanged = tf.tpu.replicate(parts, [[[1.0, 2.0]], [[3.0, 4.0]]])
    ...     [value.tolist() for (value,) in sess.run(exchanged)]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    groups = replica_groups(group_assignment, _replicas())
    if split_count != len(groups[0]):
        raise codes.INVALID_ARGUMENT.value_error(
            f"all_to_all: split_count: expected {len(groups[0])}, the number of "
            f"replicas of a group, got {split_count!r}"
        )
    tensor = convert_to_tensor(x)
    places = np.zeros(_replicas(), np.int32)
    for group in groups:
        places[list(group)] = range(len(group))
    own = gather(places, replica_id())
    parts = stack(split(tensor, split_count, axis=split_dimension))
    mine = [gather(part, own) for part in _of_all(parts, own, groups, split_count)]
    return concat(mine, concat_dimension, name=name or "AllToAll")


def collective_permute(
    x: Any, source_target_pairs: Sequence[Sequence[int]], name: str | None = None
) -> Tensor:
    """Return the tensor of another replica, zeros for a replica without a source.

    `x` is this replica's tensor, of a dtype that `cross_replica_sum` takes.
    `source_target_pairs` are the numbers of replicas; no source and no target is named
    twice.  It raises ValueError if one is, or does not exist.

    Examples
    --------
    >>> from tpuref.python.tpu.ops import tpu_ops
    >>> with tf.config.override(cores=2), tf.Session() as sess:
    ...     passed = lambda x: tpu_ops.collective_permute(x, [[0, 1]])
    ...     [float(x) for (x,) in sess.run(tf.tpu.replicate(passed, [[5.0], [6.0]]))]
    [0.0, 5.0]
    """
    replicas, tensor = _replicas(), convert_to_tensor(x)
    pairs = np.asarray(source_target_pairs)
    known = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    if not known or any(
        not 0 <= column.min() <= column.max() < replicas
        or len(set(column.tolist())) < len(column)
        for column in pairs.T
    ):
        raise codes.INVALID_ARGUMENT.value_error(
            "collective_permute: source_target_pairs: expected pairs of replicas from "
            f"0 to {replicas - 1}, each once as a source and once as a target, got "
            f"{source_target_pairs!r}"
        )
    sources = np.full(replicas, -1, np.int32)
    sources[pairs[:, 1]] = pairs[:, 0]
    source, groups = gather(sources, replica_id()), (tuple(range(replicas)),)
    everything = stack(_of_all(tensor, replica_id(), groups, replicas))
    rows = gather(everything, where_v2(source < 0, 0, source))
    moved = where_v2(greater_equal(source, 0), rows, zeros_like(rows))
    return identity(moved, name=name or "CollectivePermute")


def _replicas() -> int:
    region = replicated_region()
    return 1 if region is None else region.replicas


def _of_all(x: Tensor, own: Tensor, groups: Any, count: int) -> list[Tensor]:
    """Return the tensors of the replicas of this one's group."""
    mine = reshape(equal(numbers(count), own), [count, *[1] * (x.shape.rank or 0)])
    rows = where_v2(mine, x, zeros_like(x))
    total = cross_replica_sum(rows, [list(group) for group in groups])
    return [total[k] for k in range(count)]
