"""Operations that repeat and pad arrays."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.shapes import unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import summed, widened
from tpuref.engine.ops.broadcasting import (
    INDEX,
    NUMERIC,
    broadcast_pair,
    describe_all,
    normalize_axis,
    require_kind,
    require_rank,
    require_same_dtype,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.sizes import shape_held_by, sizes_in


def _infer_tile(x: Operand, multiples: Operand) -> TensorSpec:
    counts = shape_held_by(multiples)
    if x.shape.rank is None or counts.rank is None:
        return TensorSpec(unknown_shape(x.shape.rank or counts.rank), x.dtype)
    if x.shape.rank != counts.rank:
        raise ValueError(
            f"multiples: expected one number for each axis, got {describe_all(x)} and "
            f"{len(counts)} numbers"
        )
    pairs = zip(x.shape.dims or (), counts.dims or (), strict=True)
    return TensorSpec([size * count for size, count in pairs], x.dtype)


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
    sizes[axis] = _repeated_size(sizes[axis], repeats)
    return TensorSpec(sizes, x.dtype)


def _repeated_size(size: int | None, repeats: Operand) -> int | None:
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


def _stacked_broadcast_to(x: Array, shape: Array) -> Any:
    new = (1,) * (len(shape) + 1 - x.ndim)
    aligned = x.reshape(len(x), *new, *x.shape[1:])
    return np.broadcast_to(aligned, (len(x), *sizes_in(shape)))


def _infer_sum_to_shape(x: Operand, shape: Operand) -> TensorSpec:
    wanted = shape_held_by(shape)
    together = broadcast_pair(x.shape, wanted)
    if together is None or not together.is_compatible_with(x.shape):
        raise ValueError(f"shape {wanted} does not broadcast to {x.describe()}")
    return TensorSpec(wanted, require_kind(x, NUMERIC))


def _sum_to_shape(xp: Any, x: Array, shape: Array) -> Any:
    """Sum over the axes along which a tensor of that shape was broadcast."""
    sizes = sizes_in(shape)
    return _sum_to_sizes(xp, x, (1,) * (x.ndim - len(sizes)) + sizes).reshape(sizes)


def _stacked_sum_to_shape(x: Array, shape: Array) -> Any:
    sizes = sizes_in(shape)
    new = (1,) * (x.ndim - 1 - len(sizes))
    return _sum_to_sizes(np, x, (len(x), *new, *sizes))


def _sum_to_sizes(xp: Any, x: Array, sizes: Sequence[int]) -> Any:
    axes = [axis for axis, size in enumerate(x.shape) if sizes[axis] == 1 != size]
    if not axes:
        return x
    return summed(xp, widened(x), axes, keepdims=True).astype(x.dtype, copy=False)


def _infer_pad(x: Operand, paddings: Operand, constant_values: Operand) -> TensorSpec:
    require_same_dtype(x, constant_values)
    require_rank(constant_values, 0)
    return _infer_padded(x, paddings)


def _infer_mirror_pad(x: Operand, paddings: Operand, *, mode: str) -> TensorSpec:
    spec = _infer_padded(x, paddings)
    if paddings.value is not None and x.shape.is_fully_defined():
        _check_mirror(x.shape.as_tuple(), paddings.value, mode)
    return spec


def _infer_padded(x: Operand, paddings: Operand) -> TensorSpec:
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
    return _pad_axes(xp, x, paddings, "constant", constant_values=constant_values)


def _pad_axes(xp: Any, x: Array, paddings: Array, mode: str, **options: Any) -> Any:
    """Pad an array; NumPy refuses to pad a scalar, which has no axis to pad."""
    return xp.pad(x, _pairs(paddings), mode, **options) if x.ndim else x


def _mirror_pad(xp: Any, x: Array, paddings: Array, *, mode: str) -> Any:
    _check_mirror(x.shape, paddings, mode)
    return _pad_axes(xp, x, paddings, "reflect" if mode == "REFLECT" else "symmetric")


_op = partial(OpDef, gradient="arrays")

OPERATIONS: tuple[OpDef, ...] = (
    _op("Tile", infer=_infer_tile, meaning=_tile),
    _op("Repeat", infer=_infer_repeat, meaning=_repeat),
    _op(
        "BroadcastTo",
        infer=_infer_broadcast_to,
        meaning=_broadcast_to,
        batching=Batching(stacked=_stacked_broadcast_to, moves=True),
    ),
    _op(
        "SumToShape",
        infer=_infer_sum_to_shape,
        meaning=_sum_to_shape,
        batching=Batching(stacked=_stacked_sum_to_shape),
    ),
    _op("PadV2", infer=_infer_pad, meaning=_pad),
    _op("MirrorPad", infer=_infer_mirror_pad, meaning=_mirror_pad),
)
