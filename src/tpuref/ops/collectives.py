"""Operations between replicas."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.base.dtypes import int32
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.kernels.fold import SUMMABLE, fold
from tpuref.ops.definition import Array, OpDef, Operand

Groups = tuple[tuple[int, ...], ...]


def _summed(x: Operand, *, groups: Groups) -> TensorSpec:
    if x.dtype not in SUMMABLE:
        raise TypeError(
            f"cannot sum {x.describe()} across replicas; the element types are "
            f"{', '.join(dtype.name for dtype in SUMMABLE)}; use tf.cast"
        )
    return TensorSpec(x.shape, x.dtype)


def _cross_replica_sum(
    contributions: Sequence[Array], *, groups: Groups
) -> list[Array]:
    total = fold(contributions)
    return [total.copy() for _ in contributions]


def _tower_summed(*xs: Operand) -> TensorSpec:
    if not xs[0].dtype.is_numeric:
        raise TypeError(f"cannot sum {xs[0].describe()} over towers; use tf.cast")
    return _tower_own(*xs)


def _tower_sum(*contributions: Array) -> Array:
    return fold(contributions)


def _tower_own(*xs: Operand) -> TensorSpec:
    shape = xs[0].shape
    for x in xs[1:]:
        if x.dtype != xs[0].dtype or not x.shape.is_compatible_with(shape):
            raise ValueError(
                f"the towers' values differ: {xs[0].describe()} and {x.describe()}"
            )
        shape = shape.merge_with(x.shape)
    return TensorSpec(shape, xs[0].dtype)


def _no_own(*values: Array) -> Array:
    raise InvalidArgumentError("outside of the cores no tower's value is its own")


def _replica_id() -> TensorSpec:
    return TensorSpec(TensorShape([]), int32)


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("ReplicaId", infer=_replica_id, stateful=True),
    OpDef("CrossReplicaSum", infer=_summed, collective=_cross_replica_sum),
    OpDef("TowerSum", infer=_tower_summed, compute=_tower_sum),
    OpDef("TowerOwn", infer=_tower_own, compute=_no_own, stateful=True),
)
