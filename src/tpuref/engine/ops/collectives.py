"""Operations between replicas."""

from collections.abc import Sequence
from functools import partial

from tpuref.base.errors import InvalidArgumentError
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext
from tpuref.engine.ops.definition import Effects, OpDef, Operand, Traits
from tpuref.engine.ops.meaning import Array
from tpuref.kernels.fold import SUMMABLE, fold

Groups = tuple[tuple[int, ...], ...]


def _infer_sum(x: Operand, *, groups: Groups) -> TensorSpec:
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


def _infer_tower_sum(*xs: Operand) -> TensorSpec:
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


def _no_own(context: EffectContext, *values: Array) -> Array:
    raise InvalidArgumentError("outside of the cores no tower's value is its own")


_op = partial(OpDef, gradient="effects")

CROSS_REPLICA_SUM = _op(
    "CrossReplicaSum", _infer_sum, collective=_cross_replica_sum, xla="replicas"
)
TOWER_SUM = _op(
    "TowerSum",
    _infer_tower_sum,
    compute=_tower_sum,
    traits=Traits(joint=True),
    xla="sums",
)
TOWER_OWN = OpDef(
    "TowerOwn", _tower_own, effects=Effects(_no_own), traits=Traits(joint=True)
)

OPERATIONS: tuple[OpDef, ...] = (CROSS_REPLICA_SUM, TOWER_SUM, TOWER_OWN)
