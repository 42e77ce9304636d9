"""Operations that make, reshape, join, split, repeat and select from whole arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype, bool_, int32, int64
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.kernels.arrays import Empty, join, split
from tpuref.ops.arithmetic import widened
from tpuref.ops.broadcasting import (
    ANY,
    FLOATING,
    INDEX,
    INTEGER,
    NUMERIC,
    NUMERIC_OR_BOOL,
    REAL,
    broadcast_pair,
    broadcast_same_dtype,
    broadcast_shape,
    describe_all,
    normalize_axes,
    normalize_axis,
    require_kind,
    require_rank,
    require_rank_at_least,
    require_same_dtype,
    same_shape,
)
from tpuref.ops.definition import OpDef, Operand
from tpuref.ops.meaning import Array, ieee

# -- sources, and passing on -------------------------------------------------------


def _infer_const(*, value: Array) -> TensorSpec:
    return TensorSpec(value.shape, as_dtype(value.dtype))


def _const(xp: Any, *, value: Array) -> Any:
    return xp.asarray(value)


def _value(*, value: Array) -> Array:
    return value


def _infer_placeholder(
    *, dtype: str, shape: tuple[int | None, ...] | None
) -> TensorSpec:
    return TensorSpec(shape, dtype)


def _infer_argument(
    *, index: int, dtype: str, shape: tuple[int | None, ...] | None
) -> TensorSpec:
    return TensorSpec(shape, dtype)


def _infer_same(x: Operand) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype)


def _same(xp: Any, x: Array) -> Any:
    return x


def _identity(x: Array) -> Array:
    return x


def _infer_each(*xs: Operand) -> list[TensorSpec]:
    return [TensorSpec(x.shape, x.dtype) for x in xs]


def _each(*xs: Array) -> tuple[Array, ...]:
    return xs


def _infer_nothing() -> tuple[TensorSpec, ...]:
    return ()


def _nothing() -> tuple[Array, ...]:
    return ()


# -- operands that hold sizes ------------------------------------------------------


def sizes_in(value: Array) -> tuple[int, ...]:
    """Return the sizes that a shape array holds; ValueError if one is negative."""
    sizes = tuple(int(size) for size in value.reshape(-1))
    if any(size < 0 for size in sizes):
        raise ValueError(f"expected sizes of 0 or more, got {list(sizes)}")
    return sizes


def shape_held_by(operand: Operand) -> TensorShape:
    """Return what is known of the shape whose sizes are the values of `operand`."""
    length = require_shape(operand)
    if operand.value is not None:
        return TensorShape(sizes_in(operand.value))
    return unknown_shape(length)


def require_shape(operand: Operand) -> int | None:
    """Return the length of a vector of sizes; TypeError or ValueError if it is none."""
    require_kind(operand, INDEX)
    return require_rank(operand, 1).as_tuple()[0]


def require_index_scalar(operand: Operand) -> int | None:
    """Return the value of a scalar integer, None where it is not known yet."""
    require_kind(operand, INDEX)
    require_rank(operand, 0)
    return None if operand.value is None else int(operand.value)


# -- making ------------------------------------------------------------------------


def _infer_fill(dims: Operand, value: Operand) -> TensorSpec:
    require_rank(value, 0)
    return TensorSpec(shape_held_by(dims), value.dtype)


def _fill(xp: Any, dims: Array, value: Array, *, out: Array | None = None) -> Any:
    if out is None:
        return xp.full(sizes_in(dims), value.reshape(()), value.dtype)
    out[...] = value
    return out


def _zeros_like(x: Array) -> Array:
    return np.full(x.shape, b"", object) if x.dtype == object else np.zeros_like(x)


def _ones_like(xp: Any, x: Array) -> Any:
    return xp.ones_like(x)


def _infer_ones_like(x: Operand) -> TensorSpec:
    return same_shape(x, NUMERIC_OR_BOOL)


def _infer_range(start: Operand, limit: Operand, delta: Operand) -> TensorSpec:
    dtype = require_same_dtype(start, limit, delta)
    require_kind(start, REAL)
    for operand in (start, limit, delta):
        require_rank(operand, 0)
    if start.value is None or limit.value is None or delta.value is None:
        return TensorSpec([None], dtype)
    return TensorSpec([_range_length(start.value, limit.value, delta.value)], dtype)


def _range_length(start: Array, limit: Array, delta: Array) -> int:
    first, end, step = _number(start), _number(limit), _number(delta)
    if step == 0 or not math.isfinite((end - first) / step):
        raise ValueError(f"no finite range leads from {first} to {end} by {step}")
    if (end - first) / step < 0:
        raise ValueError(
            f"delta {step} leads away from limit {end}, starting at {first}; change "
            "its sign"
        )
    if start.dtype.kind in "iu":
        length = -((int(start) - int(limit)) // int(delta))
        if length >= 2**63:
            raise ValueError(f"the range has {length} elements, above {2**63 - 1}")
        return length
    return math.ceil((end - first) / step)


def _number(scalar: Array) -> float:
    return int(scalar) if scalar.dtype.kind in "iu" else float(scalar)


def _range(xp: Any, start: Array, limit: Array, delta: Array) -> Any:
    steps = xp.arange(_range_length(start, limit, delta))
    return (_number(start) + steps * _number(delta)).astype(start.dtype)


def _infer_lin_space(start: Operand, stop: Operand, num: Operand) -> TensorSpec:
    dtype = require_same_dtype(start, stop)
    require_kind(start, FLOATING)
    require_rank(start, 0)
    require_rank(stop, 0)
    length = require_index_scalar(num)
    if length is not None and length <= 0:
        raise ValueError(f"num: expected 1 or more, got {length}")
    return TensorSpec([length], dtype)


def _lin_space(xp: Any, start: Array, stop: Array, num: Array) -> Any:
    if num <= 0:
        raise ValueError(f"num: expected 1 or more, got {num}")
    values = xp.linspace(float(start), float(stop), int(num))
    return values.astype(start.dtype)


def _infer_one_hot(
    indices: Operand,
    depth: Operand,
    on_value: Operand,
    off_value: Operand,
    *,
    axis: int,
) -> TensorSpec:
    require_kind(indices, INTEGER)
    dtype = require_same_dtype(on_value, off_value)
    require_rank(on_value, 0)
    require_rank(off_value, 0)
    size = require_index_scalar(depth)
    if size is not None and size < 0:
        raise ValueError(f"depth: expected 0 or more, got {size}")
    if indices.shape.rank is None:
        return TensorSpec(None, dtype)
    sizes = list(indices.shape.as_tuple())
    sizes.insert(normalize_axis(axis, len(sizes) + 1), size)
    return TensorSpec(sizes, dtype)


def _one_hot(
    xp: Any,
    indices: Array,
    depth: Array,
    on_value: Array,
    off_value: Array,
    *,
    axis: int,
) -> Any:
    if depth < 0:
        raise ValueError(f"depth: expected 0 or more, got {depth}")
    axis = normalize_axis(axis, indices.ndim + 1)
    classes = xp.arange(int(depth)).reshape([-1] + [1] * (indices.ndim - axis))
    return xp.where(xp.expand_dims(indices, axis) == classes, on_value, off_value)


# -- asking ------------------------------------------------------------------------


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


# -- reshaping ---------------------------------------------------------------------


def _infer_reshape(x: Operand, shape: Operand) -> TensorSpec:
    length = require_shape(shape)
    if shape.value is None:
        return TensorSpec(unknown_shape(length), x.dtype)
    return TensorSpec(_resolved(shape.value.tolist(), x.shape.num_elements()), x.dtype)


def _resolved(wanted: Sequence[int], count: int | None) -> list[int | None]:
    """Return the sizes with -1 replaced, checked against the number of elements."""
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise ValueError(
            f"shape {list(wanted)}: expected sizes of 0 or more and at most one -1"
        )
    if count is None:
        return [None if size == -1 else size for size in wanted]
    fixed = math.prod(size for size in wanted if size != -1)
    missing = count // fixed if fixed else 0
    if fixed * (missing if -1 in wanted else 1) != count:
        raise ValueError(
            f"{count} elements do not fill shape {list(wanted)}; the number of "
            "elements has to stay the same"
        )
    return [missing if size == -1 else size for size in wanted]


def _reshape(xp: Any, x: Array, shape: Array) -> Any:
    return x.reshape([size or 0 for size in _resolved(shape.tolist(), x.size)])


def _infer_expand_dims(x: Operand, *, axis: int) -> TensorSpec:
    if x.shape.rank is None:
        return TensorSpec(None, x.dtype)
    sizes = list(x.shape.as_tuple())
    sizes.insert(normalize_axis(axis, len(sizes) + 1), 1)
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
    dropped = normalize_axes(axes, len(sizes))
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
    normalize_axes(perm, len(perm))
    sizes = x.shape.with_rank(len(perm)).as_tuple()
    return TensorSpec([sizes[axis] for axis in perm], x.dtype)


def _transpose(xp: Any, x: Array, *, perm: tuple[int, ...] | None) -> Any:
    return xp.transpose(x, perm)


def _infer_reverse(x: Operand, *, axes: tuple[int, ...]) -> TensorSpec:
    if x.shape.rank is not None:
        normalize_axes(axes, x.shape.rank)
    return TensorSpec(x.shape, x.dtype)


def _reverse(xp: Any, x: Array, *, axes: tuple[int, ...]) -> Any:
    return xp.flip(x, axes)


def _infer_roll(x: Operand, shift: Operand, *, axes: tuple[int, ...]) -> TensorSpec:
    require_kind(shift, INDEX)
    if not shift.shape.is_compatible_with([len(axes)]):
        raise ValueError(
            f"shift: expected one number for each of the {len(axes)} axes, got "
            f"{shift.describe()}"
        )
    if x.shape.rank is not None:
        for axis in axes:
            normalize_axis(axis, x.shape.rank)
    return TensorSpec(x.shape, x.dtype)


def _roll(xp: Any, x: Array, shift: Array, *, axes: tuple[int, ...]) -> Any:
    if shift.shape != (len(axes),):
        raise ValueError("shift: expected one number for each axis")
    return xp.roll(x, tuple(shift.tolist()), axes)


# -- joining and splitting ---------------------------------------------------------


def _merged(values: Sequence[Operand]) -> TensorShape:
    """Return the one shape that all values have."""
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
    shape = _merged(values)
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
    """Return the sizes of the parts; sizes that are all None mean equal parts."""
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
    if total != size:
        raise ValueError(f"the parts {list(sizes)} add up to {total}, expected {size}")
    return sizes


def _split(
    value: Array,
    *,
    axis: int,
    sizes: tuple[int | None, ...],
    empty: Empty = np.empty,
) -> tuple[Array, ...]:
    axis = normalize_axis(axis, value.ndim)
    parts = [part or 0 for part in _part_sizes(value.shape[axis], sizes)]
    # Parts along the outermost axis lie in one piece each, and nothing changes an
    # array that exists, so that they need not be copied.
    if len(set(parts)) == 1 and math.prod(value.shape[:axis]) != 1:
        return tuple(split(value, axis, len(parts), empty))
    return tuple(np.split(value, np.cumsum(parts[:-1]), axis))


def _parts(xp: Any, value: Array, *, axis: int, sizes: tuple[int | None, ...]) -> Any:
    parts = [part or 0 for part in _part_sizes(value.shape[axis], sizes)]
    return tuple(xp.split(value, np.cumsum(parts[:-1]), axis))


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
    sizes = list(_merged([_open_along(value, axis) for value in values]).as_tuple())
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


def _joined(xp: Any, *values: Array, axis: int) -> Any:
    return xp.concatenate(values, axis)


# -- repeating and padding ---------------------------------------------------------


def _infer_tile(x: Operand, multiples: Operand) -> TensorSpec:
    counts = shape_held_by(multiples)
    if not _same_rank(x.shape, counts):
        raise ValueError(
            f"multiples: expected one number for each axis, got {describe_all(x)} and "
            f"{len(counts)} numbers"
        )
    if x.shape.rank is None or counts.rank is None:
        return TensorSpec(unknown_shape(x.shape.rank or counts.rank), x.dtype)
    pairs = zip(x.shape.dims or (), counts.dims or (), strict=True)
    return TensorSpec([size * count for size, count in pairs], x.dtype)


def _same_rank(left: TensorShape, right: TensorShape) -> bool:
    return left.rank is None or right.rank is None or left.rank == right.rank


def _tile(xp: Any, x: Array, multiples: Array) -> Any:
    counts = sizes_in(multiples)
    if len(counts) != x.ndim:
        raise ValueError(f"multiples: expected {x.ndim} numbers, got {len(counts)}")
    return xp.tile(x, counts)


def _infer_repeat(x: Operand, repeats: Operand, *, axis: int) -> TensorSpec:
    require_kind(repeats, INDEX)
    if repeats.shape.rank not in (None, 0, 1):
        raise ValueError(
            f"repeats: expected a scalar or a vector, got {repeats.describe()}"
        )
    if x.shape.rank is None:
        return TensorSpec(None, x.dtype)
    sizes = list(x.shape.as_tuple())
    axis = normalize_axis(axis, len(sizes))
    sizes[axis] = _repeated(sizes[axis], repeats)
    return TensorSpec(sizes, x.dtype)


def _repeated(size: int | None, repeats: Operand) -> int | None:
    count = repeats.shape.num_elements()
    if count not in (1, size) and None not in (count, size):
        raise ValueError(
            f"repeats: expected one number, or one for each of {size} rows, got "
            f"{repeats.describe()}"
        )
    if repeats.value is None:
        return None
    total = sum(sizes_in(repeats.value))
    if count != 1:
        return total
    return None if size is None else size * total


def _repeat(xp: Any, x: Array, repeats: Array, *, axis: int) -> Any:
    return xp.repeat(x, np.asarray(sizes_in(repeats)), axis)


def _infer_broadcast_to(x: Operand, shape: Operand) -> TensorSpec:
    wanted = shape_held_by(shape)
    together = broadcast_pair(x.shape, wanted)
    if together is None or not together.is_compatible_with(wanted):
        raise ValueError(f"{x.describe()} does not broadcast to shape {wanted}")
    return TensorSpec(wanted, x.dtype)


def _broadcast_to(xp: Any, x: Array, shape: Array) -> Any:
    return xp.broadcast_to(x, sizes_in(shape)).copy()


def _infer_sum_to_shape(x: Operand, shape: Operand) -> TensorSpec:
    wanted = shape_held_by(shape)
    together = broadcast_pair(x.shape, wanted)
    if together is None or not together.is_compatible_with(x.shape):
        raise ValueError(f"shape {wanted} does not broadcast to {x.describe()}")
    return TensorSpec(wanted, require_kind(x, NUMERIC))


def _sum_to_shape(xp: Any, x: Array, shape: Array) -> Any:
    """Sum over the axes along which a tensor of that shape was repeated."""
    sizes = sizes_in(shape)
    new = x.ndim - len(sizes)
    repeated = [k + new for k, n in enumerate(sizes) if n == 1 != x.shape[k + new]]
    axes, wide = (*range(new), *repeated), widened(x)
    total = xp.sum(wide, axes, wide.dtype, keepdims=True) if axes else wide
    return total.reshape(sizes).astype(x.dtype, copy=False)


def _infer_pad(x: Operand, paddings: Operand, constant_values: Operand) -> TensorSpec:
    require_same_dtype(x, constant_values)
    require_rank(constant_values, 0)
    return _padded(x, paddings)


def _infer_mirror_pad(x: Operand, paddings: Operand, *, mode: str) -> TensorSpec:
    spec = _padded(x, paddings)
    if paddings.value is not None and x.shape.is_fully_defined():
        _check_mirror(x.shape.as_tuple(), paddings.value, mode)
    return spec


def _padded(x: Operand, paddings: Operand) -> TensorSpec:
    require_kind(paddings, INDEX)
    if not paddings.shape.is_compatible_with([x.shape.rank, 2]):
        raise ValueError(
            "paddings: expected a pair (before, after) for each axis, got "
            f"{describe_all(x, paddings)}"
        )
    if paddings.value is None or x.shape.rank is None:
        known = x.shape.rank is not None or paddings.shape.rank is None
        rank = x.shape.rank if known else paddings.shape.as_tuple()[0]
        return TensorSpec(unknown_shape(rank), x.dtype)
    pairs = zip(x.shape.dims or (), _pairs(paddings.value), strict=True)
    return TensorSpec([size + sum(pair) for size, pair in pairs], x.dtype)


def _pairs(paddings: Array) -> list[tuple[int, int]]:
    pairs = [(int(before), int(after)) for before, after in paddings]
    if any(before < 0 or after < 0 for before, after in pairs):
        raise ValueError(f"paddings: expected numbers of 0 or more, got {pairs}")
    return pairs


def _check_mirror(shape: Sequence[int | None], paddings: Array, mode: str) -> None:
    """A mirror image has as many rows as the array, less the edge for REFLECT."""
    for size, pair in zip(shape, _pairs(paddings), strict=True):
        most = (size or 0) - (mode == "REFLECT")
        if max(pair) > max(most, 0):
            raise ValueError(
                f"paddings: {mode} of an axis of size {size} gives at most {most} "
                f"rows, got {pair}"
            )


def _pad(xp: Any, x: Array, paddings: Array, constant_values: Array) -> Any:
    if len(paddings) != x.ndim:
        raise ValueError("paddings: expected a pair (before, after) for each axis")
    return xp.pad(x, _pairs(paddings), "constant", constant_values=constant_values)


def _mirror_pad(xp: Any, x: Array, paddings: Array, *, mode: str) -> Any:
    _check_mirror(x.shape, paddings, mode)
    if mode == "REFLECT":
        return xp.pad(x, _pairs(paddings), "reflect")
    return xp.pad(x, _pairs(paddings), "symmetric")


# -- diagonals ---------------------------------------------------------------------


def _infer_matrix_diag(diagonal: Operand) -> TensorSpec:
    shape = require_rank_at_least(diagonal, 1)
    if shape.rank is None:
        return TensorSpec(None, diagonal.dtype)
    return TensorSpec(shape.concatenate([shape[-1]]), diagonal.dtype)


def _matrix_diag(diagonal: Array) -> Array:
    size = diagonal.shape[-1]
    result = _zeros_like(np.broadcast_to(diagonal[..., None], (*diagonal.shape, size)))
    result[..., np.arange(size), np.arange(size)] = diagonal
    return result


def _infer_matrix_diag_part(x: Operand) -> TensorSpec:
    shape = require_rank_at_least(x, 2)
    if shape.rank is None:
        return TensorSpec(None, x.dtype)
    rows, columns = shape.as_tuple()[-2:]
    size = None if rows is None or columns is None else min(rows, columns)
    return TensorSpec(shape[:-2].concatenate([size]), x.dtype)


def _matrix_diag_part(xp: Any, x: Array) -> Any:
    return xp.diagonal(x, axis1=-2, axis2=-1).copy()


def _infer_band_part(x: Operand, lower: Operand, upper: Operand) -> TensorSpec:
    require_index_scalar(lower)
    require_index_scalar(upper)
    require_kind(x, NUMERIC_OR_BOOL)
    return TensorSpec(require_rank_at_least(x, 2), x.dtype)


def _band_part(xp: Any, x: Array, lower: Array, upper: Array) -> Any:
    rows, columns = x.shape[-2:]
    distance = xp.arange(columns) - xp.arange(rows)[:, None]
    inside = xp.ones((rows, columns), bool)
    if lower >= 0:
        inside &= -distance <= lower
    if upper >= 0:
        inside &= distance <= upper
    return xp.where(inside, x, xp.zeros((), x.dtype))


# -- selecting ---------------------------------------------------------------------


def _infer_select(condition: Operand, x: Operand, y: Operand) -> TensorSpec:
    require_boolean(condition)
    dtype = require_same_dtype(x, y)
    shape = _merged([x, y])
    if condition.shape.rank is None or shape.rank is None:
        return TensorSpec(shape, dtype)
    if condition.shape.rank == 1 and shape.rank > 1:
        fits = condition.shape.is_compatible_with(shape[:1])
    else:
        fits = condition.shape.rank == 0 or condition.shape.is_compatible_with(shape)
    if not fits:
        raise ValueError(
            "condition: expected the shape of x, or a vector with one value for each "
            f"row of x, got {describe_all(condition, x)}; tf.where_v2 broadcasts"
        )
    return TensorSpec(shape, dtype)


def require_boolean(operand: Operand) -> None:
    """Raise TypeError unless the operand is boolean."""
    if operand.dtype != bool_:
        raise TypeError(f"expected a bool condition, got {operand.describe()}")


def _select(xp: Any, condition: Array, x: Array, y: Array) -> Any:
    if condition.ndim == 1:
        condition = condition.reshape([-1] + [1] * (x.ndim - 1))
    if not x.shape == y.shape == np.broadcast_shapes(condition.shape, x.shape):
        raise ValueError("expected x and y of equal shape, and a condition that fits")
    return xp.where(condition, x, y)


def _infer_select_v2(condition: Operand, x: Operand, y: Operand) -> TensorSpec:
    require_boolean(condition)
    dtype = broadcast_same_dtype(x, y, kind=ANY).dtype
    return TensorSpec(broadcast_shape(condition, x, y), dtype)


def _select_v2(xp: Any, condition: Array, x: Array, y: Array) -> Any:
    return xp.where(condition, x, y)


def _infer_where(condition: Operand) -> TensorSpec:
    require_kind(condition, NUMERIC_OR_BOOL)
    return TensorSpec([None, condition.shape.rank], int64)


def _where(condition: Array) -> Array:
    return np.argwhere(condition).astype(np.int64)


CONST = OpDef("Const", infer=_infer_const, meaning=_const, compute=_value)
ARGUMENT = OpDef("_Arg", infer=_infer_argument, fed=True)
IDENTITY = OpDef(
    "Identity", infer=_infer_same, meaning=_same, compute=_identity, linear=True
)
IDENTITY_N = OpDef("IdentityN", infer=_infer_each, compute=_each)
SHAPE = OpDef("Shape", infer=_infer_shape, meaning=_shape, static=_static_shape)
PACK = OpDef("Pack", infer=_infer_pack, meaning=_pack)

OPERATIONS: tuple[OpDef, ...] = (
    CONST,
    ARGUMENT,
    OpDef("Placeholder", infer=_infer_placeholder, fed=True),
    IDENTITY,
    IDENTITY_N,
    OpDef("StopGradient", infer=_infer_same, meaning=_same, compute=_identity),
    OpDef("NoOp", infer=_infer_nothing, compute=_nothing),
    OpDef("Fill", infer=_infer_fill, meaning=_fill),
    OpDef("ZerosLike", infer=_infer_same, compute=ieee(_zeros_like)),
    OpDef("OnesLike", infer=_infer_ones_like, meaning=_ones_like),
    OpDef("Range", infer=_infer_range, meaning=_range),
    OpDef("LinSpace", infer=_infer_lin_space, meaning=_lin_space),
    OpDef("OneHot", infer=_infer_one_hot, meaning=_one_hot),
    SHAPE,
    OpDef("Size", infer=_infer_size, meaning=_size, static=_static_size),
    OpDef("Rank", infer=_infer_rank, meaning=_rank, static=_static_rank),
    OpDef("Reshape", infer=_infer_reshape, meaning=_reshape, linear=True),
    OpDef("ExpandDims", infer=_infer_expand_dims, meaning=_expand_dims, linear=True),
    OpDef("Squeeze", infer=_infer_squeeze, meaning=_squeeze, linear=True),
    OpDef("Transpose", infer=_infer_transpose, meaning=_transpose, linear=True),
    OpDef("ReverseV2", infer=_infer_reverse, meaning=_reverse),
    OpDef("Roll", infer=_infer_roll, meaning=_roll),
    PACK,
    OpDef("Unpack", infer=_infer_unpack, meaning=_unpack),
    OpDef("Split", infer=_infer_split, meaning=_parts, compute=ieee(_split)),
    OpDef("ConcatV2", infer=_infer_concat, meaning=_joined, compute=ieee(_concat)),
    OpDef("Tile", infer=_infer_tile, meaning=_tile),
    OpDef("Repeat", infer=_infer_repeat, meaning=_repeat),
    OpDef("BroadcastTo", infer=_infer_broadcast_to, meaning=_broadcast_to),
    OpDef("SumToShape", infer=_infer_sum_to_shape, meaning=_sum_to_shape),
    OpDef("PadV2", infer=_infer_pad, meaning=_pad),
    OpDef("MirrorPad", infer=_infer_mirror_pad, meaning=_mirror_pad),
    OpDef("MatrixDiag", infer=_infer_matrix_diag, compute=ieee(_matrix_diag)),
    OpDef("MatrixDiagPart", infer=_infer_matrix_diag_part, meaning=_matrix_diag_part),
    OpDef("MatrixBandPart", infer=_infer_band_part, meaning=_band_part),
    OpDef("Select", infer=_infer_select, meaning=_select),
    OpDef("SelectV2", infer=_infer_select_v2, meaning=_select_v2),
    OpDef("Where", infer=_infer_where, compute=ieee(_where)),
)
