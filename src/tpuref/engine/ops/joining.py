"""Operations that join arrays and split them."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import (
    describe_all,
    normalize_axis,
    require_same_dtype,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.stacking import along, behind
from tpuref.kernels.arrays import Empty, join, split


def merged_shape(values: Sequence[Operand]) -> TensorShape:
    """Return the merged static shape of all values."""
    shape = values[0].shape
    for value in values[1:]:
        if not shape.is_compatible_with(value.shape):
            raise ValueError(f"expected equal shapes, got {describe_all(*values)}")
        shape = shape.merge_with(value.shape)
    return shape


def _infer_pack(*values: Operand, axis: int) -> TensorSpec:
    if not values:
        raise ValueError("values is empty; expected at least one tensor to stack")
    dtype = require_same_dtype(*values)
    shape = merged_shape(values)
    if shape.rank is None:
        return TensorSpec(None, dtype)
    sizes = list(shape.as_tuple())
    sizes.insert(normalize_axis(axis, len(sizes) + 1), len(values))
    return TensorSpec(sizes, dtype)


def _pack(xp: Any, *values: Array, axis: int) -> Any:
    return xp.stack(values, axis)


def _infer_unpack(value: Operand, *, axis: int, num: int) -> list[TensorSpec]:
    if value.shape.rank is None:
        return [TensorSpec(None, value.dtype)] * num
    sizes = list(value.shape.as_tuple())
    _check_num(num, sizes.pop(normalize_axis(axis, len(sizes))), axis)
    return [TensorSpec(sizes, value.dtype)] * num


def _check_num(num: int, size: int | None, axis: int) -> None:
    if size not in (num, None):
        raise ValueError(f"num {num} differs from the size {size} of axis {axis}")


def _unpack(xp: Any, value: Array, *, axis: int, num: int) -> Any:
    _check_num(num, value.shape[axis], axis)
    rows = xp.moveaxis(value, axis, 0)
    return tuple(rows[k, ...] for k in range(num))


def _infer_split(
    value: Operand, *, axis: int, sizes: tuple[int | None, ...]
) -> list[TensorSpec]:
    if value.shape.rank is None:
        return [TensorSpec(None, value.dtype)] * len(sizes)
    shape = list(value.shape.as_tuple())
    axis = normalize_axis(axis, len(shape))
    parts = _part_sizes(shape[axis], sizes)
    return [
        TensorSpec([*shape[:axis], part, *shape[axis + 1 :]], value.dtype)
        for part in parts
    ]


def _part_sizes(
    size: int | None, sizes: tuple[int | None, ...]
) -> Sequence[int | None]:
    """Return the sizes of the parts.

    Sizes that are all None mean equal parts; one None among sizes means the remainder.
    """
    if size is None:
        return sizes
    if all(part is None for part in sizes):
        if size % len(sizes):
            raise ValueError(
                f"size {size} does not divide into {len(sizes)} equal parts; give the "
                "size of each part"
            )
        return [size // len(sizes)] * len(sizes)
    total = sum(part or 0 for part in sizes)
    if total > size or (total < size and None not in sizes):
        raise ValueError(f"the parts {list(sizes)} add up to {total}, expected {size}")
    return [size - total if part is None else part for part in sizes]


def _split(
    value: Array, *, axis: int, sizes: tuple[int | None, ...], empty: Empty = np.empty
) -> tuple[Array, ...]:
    axis = normalize_axis(axis, value.ndim)
    parts = [part or 0 for part in _part_sizes(value.shape[axis], sizes)]
    # Parts along the outermost axis are contiguous, and arrays are never changed in
    # place, so views will do.
    if len(set(parts)) == 1 and math.prod(value.shape[:axis]) != 1:
        return tuple(split(value, axis, len(parts), empty))
    return _slices(value, axis, parts)


def _parts(xp: Any, value: Array, *, axis: int, sizes: tuple[int | None, ...]) -> Any:
    axis = normalize_axis(axis, value.ndim)
    parts = [part or 0 for part in _part_sizes(value.shape[axis], sizes)]
    return _slices(value, axis, parts)


def _slices(value: Array, axis: int, parts: Sequence[int]) -> tuple[Array, ...]:
    """Return views; `numpy.split` takes five times as long for parts of 100 KB."""
    before, ends = (slice(None),) * axis, zip(parts, accumulate(parts), strict=True)
    places = [(*before, slice(end - part, end)) for part, end in ends]
    return tuple(value[place] for place in places)


def _infer_concat(*values: Operand, axis: int) -> TensorSpec:
    if not values:
        raise ValueError("values is empty; expected at least one tensor to join")
    dtype = require_same_dtype(*values)
    ranks = {value.shape.rank for value in values} - {None}
    if len(ranks) > 1:
        raise ValueError(f"expected equal ranks, got {describe_all(*values)}")
    if not ranks:
        return TensorSpec(None, dtype)
    rank = ranks.pop() or 0
    if rank == 0:
        raise ValueError("scalars cannot be joined; use tf.stack")
    axis = normalize_axis(axis, rank)
    joined = [value.shape.with_rank(rank).as_tuple()[axis] for value in values]
    sizes = list(
        merged_shape([_open_along(value, axis) for value in values]).as_tuple()
    )
    sizes[axis] = sum(n or 0 for n in joined) if None not in joined else None
    return TensorSpec(sizes, dtype)


def _open_along(value: Operand, axis: int) -> Operand:
    if value.shape.rank is None:
        return value
    sizes = list(value.shape.as_tuple())
    sizes[axis] = None
    return Operand(TensorShape(sizes), value.dtype)


def _concat(*values: Array, axis: int, empty: Empty = np.empty) -> Array:
    return join(values, axis, empty)


def _concat_meaning(xp: Any, *values: Array, axis: int) -> Any:
    return xp.concatenate(values, axis)


def _joined_stacks(join: Callable[..., Any], *values: Array, axis: int) -> Array:
    """Join arrays of all cores; a constant, which all share, is repeated."""
    first = values[0]
    shares = [
        value
        if value.ndim == first.ndim
        else np.broadcast_to(value, (len(first), *value.shape))
        for value in values
    ]
    joined: Array = join(shares, behind(axis))
    return joined


_op = partial(OpDef, gradient="arrays")

PACK = _op(
    "Pack",
    infer=_infer_pack,
    meaning=_pack,
    batching=Batching(stacked=partial(_joined_stacks, np.stack), moves=True),
)

OPERATIONS: tuple[OpDef, ...] = (
    PACK,
    _op(
        "Unpack",
        infer=_infer_unpack,
        meaning=_unpack,
        batching=Batching(stacked=along(_unpack), moves=True),
    ),
    _op(
        "Split",
        infer=_infer_split,
        meaning=_parts,
        compute=ieee(_split),
        batching=Batching(stacked=along(_parts), moves=True),
    ),
    _op(
        "ConcatV2",
        infer=_infer_concat,
        meaning=_concat_meaning,
        compute=ieee(_concat),
        batching=Batching(stacked=partial(_joined_stacks, np.concatenate), moves=True),
    ),
)
