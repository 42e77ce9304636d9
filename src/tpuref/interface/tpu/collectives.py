"""Sum tensors across replicas."""

import functools
from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import name_or
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
from tpuref.engine.differentiation.custom_gradient import passed_through
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.runtime.log import advice
from tpuref.interface.functions.identity import identity
from tpuref.interface.tpu.peers import Peers, current_peers, replicated_region
from tpuref.interface.tpu.per_replica import PerReplica
from tpuref.kernels.fold import SUMMABLE

_log = advice()


@overload
def cross_replica_sum(
    x: Mapping[Any, Any], group_assignment: Any = None, name: str | None = None
) -> dict[Any, Tensor]: ...


@overload
def cross_replica_sum(
    x: Any, group_assignment: Any = None, name: str | None = None
) -> Tensor: ...


def cross_replica_sum(
    x: Any, group_assignment: Any = None, name: str | None = None
) -> Any:
    """Return the sum of `x` over the replicas of a group.

    See 000_04abb9e9288042d8.txt, cross_replica_sum.  The sum has the same bits on all
    replicas of the group; a dictionary gives one sum per key.  Contributions are added
    in replica order; float16 and bfloat16 are added in float32 and rounded once.  In a
    distribution strategy the towers are the replicas; the k-th sums of all towers form
    one collective, as with ``merge_call``.  Outside of both, the caller is the only
    replica, and a warning is logged.  It raises TypeError if `x` or the ids have an
    unsupported element type, and ValueError if `group_assignment` is not a partition of
    the replicas into groups of equal size, or a `PerReplica` does not have one
    component per replica.

    Parameters
    ----------
    x
        This replica's contribution: a tensor, a value or sequence that converts to one,
        a `PerReplica`, or a dictionary of those.  float16, bfloat16, float32, float64,
        int32 or uint32.
    group_assignment
        The replica ids of each group, ``[num_groups, replicas_per_group]``; every
        replica appears once.  None is one group of all.

    Examples
    --------
    >>> with tf.config.override(cores=2), tf.Session() as sess:
    ...     total = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    ...     [float(value) for (value,) in sess.run(total)]
    [3.0, 3.0]
    """
    peers = current_peers()
    if peers is not None:
        groups = replica_groups(group_assignment, peers.count)
        own = _contribution(x, peers)
        named = functools.partial(_tower_total, group_assignment, name)
        return nest.map_structure(named, peers.total(own, groups), own)
    if isinstance(x, Mapping):
        return {
            key: cross_replica_sum(value, group_assignment, name)
            for key, value in x.items()
        }
    region = replicated_region()
    replicas = None if region is None else region.replicas
    groups = replica_groups(group_assignment, replicas or 1)
    if isinstance(x, PerReplica):
        if replicas is None:
            return _total(x)
        tensor = _own_component(x, replicas)
    else:
        tensor = convert_to_tensor(x)
    if replicas is None:
        _log.warning(
            "tf.tpu.cross_replica_sum is outside a replicated computation, so it "
            "returns its input unchanged [%s]; built at %s",
            codes.OUTSIDE_OF_REPLICAS,
            user_site(),
        )
    return apply_one("CrossReplicaSum", tensor, groups=groups, name=name)


def replica_id(name: str | None = None) -> Tensor:
    """Return the number of the replica that computes it, 0 outside of `replicate`.

    It is `replica_id` of TensorFlow's module ``compiler.tf2xla.python.xla``.

    Examples
    --------
    >>> from tpuref.compiler.tf2xla.python import xla
    >>> with tf.config.override(cores=2), tf.Session() as sess:
    ...     ids = tf.tpu.replicate(xla.replica_id, [[], []])
    ...     [int(value) for (value,) in sess.run(ids)]
    [0, 1]
    """
    if replicated_region() is None:
        return convert_to_tensor(np.int32(0))
    return apply_one("ReplicaId", name=name)


def _tower_total(
    assignment: Any, name: str | None, total: Tensor, own: Tensor
) -> Tensor:
    """Return the sum in a tower, with its gradient.

    Inside towers, the gradient is summed over all towers, as between replicas; outside,
    it passes through the sum to the contributions.
    """

    def rule(apply: Any, op: Any, dy: Tensor, _: Tensor) -> tuple[Any, Any]:
        if current_peers() is None:
            return dy, None
        return None, cross_replica_sum(dy, assignment)

    total, _ = passed_through([total, own], rule)
    return identity(total, name=name_or(name, "CrossReplicaSum"))


def _contribution(x: Any, peers: Peers) -> Any:
    """Return a tower's contribution, a tensor or a dictionary of tensors."""
    if isinstance(x, Mapping):
        return {key: _contribution(value, peers) for key, value in x.items()}
    if isinstance(x, PerReplica):
        _check_components(x, peers.count)
        x = x.values[peers.index]
    tensor = convert_to_tensor(x)
    if tensor.dtype not in SUMMABLE:
        raise codes.INVALID_OPERANDS.type_error(
            f"tf.tpu.cross_replica_sum: cannot sum {tensor.describe()} across replicas;"
            f" the element types are {', '.join(dtype.name for dtype in SUMMABLE)}; use"
            " tf.cast"
        )
    return tensor


def replica_groups(assignment: Any, replicas: int) -> tuple[tuple[int, ...], ...]:
    """Return the replicas of each group, after checking that each is in one."""
    if assignment is None:
        return (tuple(range(replicas)),)
    ids = _ids(assignment)
    if ids.ndim != 2:
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.tpu.cross_replica_sum: group_assignment must have two dimensions, "
            f"[num_groups, replicas_per_group], got shape {list(ids.shape)}"
        )
    _check_partition([int(i) for i in ids.flat], replicas, assignment)
    return tuple(tuple(int(i) for i in row) for row in ids)


def _ids(assignment: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(assignment, Tensor):
        value = assignment.operand().value
        if assignment.dtype != int32 or value is None:
            raise codes.INVALID_ARGUMENT.type_error(
                "tf.tpu.cross_replica_sum: group_assignment must be known when the "
                f"graph is built, as int32; got {assignment.describe()}"
            )
        return value
    try:
        ids = np.asarray(assignment)
    except ValueError:
        ids = np.empty(0, object)
    if ids.dtype == object:
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.tpu.cross_replica_sum: all groups of group_assignment must have the "
            f"same number of replicas, got {assignment!r}"
        )
    if ids.size and ids.dtype.kind not in "iu":
        raise codes.INVALID_ARGUMENT.type_error(
            "tf.tpu.cross_replica_sum: group_assignment must contain integers, got "
            f"{assignment!r}"
        )
    return ids


def _check_partition(ids: list[int], replicas: int, assignment: Any) -> None:
    def fault(what: str) -> ValueError:
        return codes.INVALID_ARGUMENT.value_error(
            f"tf.tpu.cross_replica_sum: group_assignment {assignment!r} {what}; each "
            f"of the replicas 0 to {replicas - 1} must appear in it exactly once"
        )

    for replica in ids:
        if not 0 <= replica < replicas:
            raise fault(f"contains replica {replica}, which does not exist")
        if ids.count(replica) > 1:
            raise fault(f"contains replica {replica} {ids.count(replica)} times")
    missing = sorted(set(range(replicas)) - set(ids))
    if missing:
        raise fault(f"omits replica {missing[0]}")


def _check_components(x: PerReplica, replicas: int) -> None:
    if len(x.values) != replicas:
        raise codes.WRONG_COUNT.value_error(
            f"tf.tpu.cross_replica_sum: {x!r} has {len(x.values)} components, but the "
            f"computation has {replicas} replicas"
        )


def _own_component(x: PerReplica, replicas: int) -> Tensor:
    _check_components(x, replicas)
    # All replicas run the same operations, so the component is selected at run time.
    stacked = apply("Pack", *x.tensors(), axis=0)
    return apply_one("GatherV2", stacked, apply("ReplicaId"), axis=0, batch_dims=0)


def _total(x: PerReplica) -> Tensor:
    first, *others = x.tensors()
    for other in others:
        first = first + other
    return first
