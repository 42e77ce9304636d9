"""Operations that ask for, change and reorder the axes of an array."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import int32
from tpuref.base.shapes import unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.definition import OF_SHAPE, Batching, OpDef, Operand, Traits
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.sizes import require_shape
from tpuref.engine.ops.stacking import along, behind

# -- asking ---------------------------------------------------------------------------


def _infer_shape(x: Operand, *, out_type: str) -> TensorSpec:
    return TensorSpec([x.shape.rank], out_type)


def _shape(xp: Any, x: Array, *, out_type: str) -> Any:
    return xp.asarray(x.shape, out_type)


def _static_shape(x: Operand, *, out_type: str) -> Sequence[int | None] | None:
    return x.shape.as_tuple() if x.shape.is_fully_defined() else None


def _infer_size(x: Operand, *, out_type: str) -> TensorSpec:
    return TensorSpec([], out_type)


def _size(xp: Any, x: Array, *, out_type: str) -> Any:
    return xp.asarray(x.size, out_type)


def _static_size(x: Operand, *, out_type: str) -> int | None:
    return x.shape.num_elements()


def _infer_rank(x: Operand) -> TensorSpec:
    return TensorSpec([], int32)


def _rank(xp: Any, x: Array) -> Any:
    return xp.asarray(x.ndim, np.int32)


def _static_rank(x: Operand) -> int | None:
    return x.shape.ndims


# -- reshaping ------------------------------------------------------------------------


def _infer_reshape(x: Operand, shape: Operand) -> TensorSpec:
    length = require_shape(shape)
    if shape.value is None:
        return TensorSpec(unknown_shape(length), x.dtype)
    return TensorSpec(_resolve_sizes(shape.value.tolist(), _known_sizes(x)), x.dtype)


def _known_sizes(x: Operand) -> list[int] | None:
    if x.shape.rank is None:
        return None
    sizes = [size for size in x.shape.as_tuple() if size is not None]
    return sizes if len(sizes) == x.shape.rank else None


def _resolve_sizes(
    wanted: Sequence[int], sizes: Sequence[int] | None
) -> list[int | None]:
    """Return the sizes with -1 replaced, checked against the size of the array."""
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise ValueError(
            f"shape {list(wanted)}: expected sizes of 0 or more and at most one -1"
        )
    if sizes is None:
        return [None if size == -1 else size for size in wanted]
    count, fixed = math.prod(sizes), math.prod(size for size in wanted if size != -1)
    # With a size of 0 any value of -1 would fit; as in TensorFlow, the other sizes
    # decide it.
    missing = count // fixed if fixed else _size_with_zero(wanted, sizes)
    if fixed * (missing if -1 in wanted else 1) != count:
        raise ValueError(
            f"{count} elements do not fill shape {list(wanted)}; the number of "
            "elements has to stay the same"
        )
    return [missing if size == -1 else size for size in wanted]


def _size_with_zero(wanted: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the size for -1 from the sizes other than 0."""
    return math.prod(n for n in sizes if n) // math.prod(n for n in wanted if n > 0)


def _reshape(xp: Any, x: Array, shape: Array) -> Any:
    return x.reshape([size or 0 for size in _resolve_sizes(shape.tolist(), x.shape)])


def _stacked_reshape(x: Array, shape: Array) -> Any:
    sizes = _resolve_sizes(shape.tolist(), x.shape[1:])
    return x.reshape([len(x), *(size or 0 for size in sizes)])


def _infer_expand_dims(x: Operand, *, axis: int) -> TensorSpec:
    if x.shape.rank is None:
        return TensorSpec(None, x.dtype)
    sizes = list(x.shape.as_tuple())
    sizes.insert(broadcasting.normalize_axis(axis, len(sizes) + 1), 1)
    return TensorSpec(sizes, x.dtype)


def _expand_dims(xp: Any, x: Array, *, axis: int) -> Any:
    return xp.expand_dims(x, axis)


def _infer_squeeze(x: Operand, *, axes: tuple[int, ...]) -> TensorSpec:
    if x.shape.rank is None:
        return TensorSpec(None, x.dtype)
    sizes = x.shape.as_tuple()
    if not axes:
        known = None not in sizes
        return TensorSpec([n for n in sizes if n != 1] if known else None, x.dtype)
    dropped = broadcasting.normalize_axes(axes, len(sizes))
    for axis in dropped:
        if sizes[axis] not in (1, None):
            raise ValueError(
                f"axis {axis} of {x.describe()} has size {sizes[axis]}; only axes of "
                "size 1 can be squeezed"
            )
    kept = [size for axis, size in enumerate(sizes) if axis not in dropped]
    return TensorSpec(kept, x.dtype)


def _squeeze(xp: Any, x: Array, *, axes: tuple[int, ...]) -> Any:
    return xp.squeeze(x, axes or None)


def _infer_transpose(x: Operand, *, perm: tuple[int, ...] | None) -> TensorSpec:
    if perm is None:
        rank = x.shape.rank
        return TensorSpec(None if rank is None else x.shape.as_tuple()[::-1], x.dtype)
    if x.shape.rank not in (None, len(perm)):
        raise ValueError(
            f"perm {list(perm)} orders {len(perm)} axes, got {x.describe()}"
        )
    broadcasting.normalize_axes(perm, len(perm))
    sizes = x.shape.with_rank(len(perm)).as_tuple()
    return TensorSpec([sizes[axis] for axis in perm], x.dtype)


def _transpose(xp: Any, x: Array, *, perm: tuple[int, ...] | None) -> Any:
    return xp.transpose(x, perm)


def _stacked_transpose(x: Array, *, perm: tuple[int, ...] | None) -> Array:
    axes = range(x.ndim - 1)[::-1] if perm is None else perm
    return np.transpose(x, (0, *map(behind, (axis % (x.ndim - 1) for axis in axes))))


def _infer_reverse(x: Operand, *, axes: tuple[int, ...]) -> TensorSpec:
    if x.shape.rank is not None:
        broadcasting.normalize_axes(axes, x.shape.rank)
    return TensorSpec(x.shape, x.dtype)


def _reverse(xp: Any, x: Array, *, axes: tuple[int, ...]) -> Any:
    return xp.flip(x, axes)


def _infer_roll(x: Operand, shift: Operand, *, axes: tuple[int, ...]) -> TensorSpec:
    broadcasting.require_kind(shift, broadcasting.INDEX)
    if not shift.shape.is_compatible_with([len(axes)]):
        raise ValueError(
            f"shift: expected one number for each of the {len(axes)} axes, got "
            f"{shift.describe()}"
        )
    if x.shape.rank is not None:
        for axis in axes:
            broadcasting.normalize_axis(axis, x.shape.rank)
    return TensorSpec(x.shape, x.dtype)


def _roll(xp: Any, x: Array, shift: Array, *, axes: tuple[int, ...]) -> Any:
    if shift.shape != (len(axes),):
        raise ValueError("shift: expected one number for each axis")
    return xp.roll(x, tuple(shift.tolist()), axes)


_op = partial(OpDef, gradient="arrays")

SHAPE = _op(
    "Shape", infer=_infer_shape, meaning=_shape, static=_static_shape, batching=OF_SHAPE
)

RESHAPE = _op(
    "Reshape",
    infer=_infer_reshape,
    meaning=_reshape,
    batching=Batching(stacked=_stacked_reshape, moves=True),
    traits=Traits(linear=True),
)

OPERATIONS: tuple[OpDef, ...] = (
    SHAPE,
    _op(
        "Size", infer=_infer_size, meaning=_size, static=_static_size, batching=OF_SHAPE
    ),
    _op(
        "Rank", infer=_infer_rank, meaning=_rank, static=_static_rank, batching=OF_SHAPE
    ),
    RESHAPE,
    _op(
        "ExpandDims",
        infer=_infer_expand_dims,
        meaning=_expand_dims,
        batching=Batching(stacked=along(_expand_dims), moves=True),
        traits=Traits(linear=True),
    ),
    _op("Squeeze", infer=_infer_squeeze, meaning=_squeeze, traits=Traits(linear=True)),
    _op(
        "Transpose",
        infer=_infer_transpose,
        meaning=_transpose,
        batching=Batching(stacked=_stacked_transpose, moves=True),
        traits=Traits(linear=True),
    ),
    _op("ReverseV2", infer=_infer_reverse, meaning=_reverse),
    _op("Roll", infer=_infer_roll, meaning=_roll, xla="arrays"),
)
