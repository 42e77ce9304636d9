"""Operations that read or write elements by position: slices, gather and scatter."""

import math
import operator
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import FLOATS, widened
from tpuref.engine.ops.broadcasting import (
    INDEX,
    INTEGER,
    NUMERIC,
    NUMERIC_OR_BOOL,
    broadcast_shape,
    describe_all,
    normalize_axis,
    require_kind,
    require_rank,
    require_rank_at_least,
    require_same_dtype,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import shape_held_by, sizes_in
from tpuref.kernels import sums

# -- subscripts --------------------------------------------------------------------
#
# A subscript x[...] is the attr `key`, a tuple of items:
#   ("index", i)    ("slice", start, stop, step)    ("ellipsis",)    ("newaxis",)
# where i, start, stop and step are integers, None where left out, or ("input", k) for
# the value of the k-th input after x.

Key = tuple[tuple[Any, ...], ...]
UNKNOWN = "unknown"


def _infer_strided_slice(x: Operand, *bounds: Operand, key: Key) -> TensorSpec:
    for bound in bounds:
        require_kind(bound, INTEGER)
        require_rank(bound, 0)
    if x.shape.rank is None:
        return TensorSpec(None, x.dtype)
    values = [UNKNOWN if b.value is None else int(b.value) for b in bounds]
    sizes: list[int | None] = []
    axis = 0
    for item in _expand_ellipsis(key, len(x.shape)):
        if item[0] == "newaxis":
            sizes.append(1)
            continue
        size = x.shape.as_tuple()[axis]
        parts = [_resolve(part, values) for part in item[1:]]
        if item[0] == "index":
            _check_index(parts[0], size, axis)
        else:
            sizes.append(_slice_size(parts, size))
        axis += 1
    return TensorSpec(sizes, x.dtype)


def _expand_ellipsis(key: Key, rank: int) -> list[tuple[Any, ...]]:
    """Return the items with the ellipsis expanded, one for each axis."""
    whole = ("slice", None, None, None)
    used = sum(item[0] in ("index", "slice") for item in key)
    if used > rank:
        raise ValueError(f"too many indices: {used} for rank {rank}")
    missing = [whole] * (rank - used)
    if ("ellipsis",) not in key:
        return [*key, *missing]
    at = key.index(("ellipsis",))
    return [*key[:at], *missing, *key[at + 1 :]]


def _resolve(part: Any, values: Sequence[Any]) -> Any:
    return values[part[1]] if isinstance(part, tuple) else part


def _check_index(index: Any, size: int | None, axis: int) -> None:
    if index == UNKNOWN or size is None or -size <= index < size:
        return
    raise codes.INDEX_OUT_OF_RANGE.value_error(
        f"index {index} is out of range for axis {axis} of size {size}; expected "
        f"{-size} <= index < {size}"
    )


def _slice_size(parts: Sequence[Any], size: int | None) -> int | None:
    start, stop, step = parts
    if step == 0:
        raise ValueError("the step of a slice is 0; expected any other integer")
    if UNKNOWN in (start, stop, step):
        return None
    if size is not None:
        return len(range(*slice(start, stop, step).indices(size)))
    return 0 if _empty_for_any_size(start, stop, step) else None


def _empty_for_any_size(start: int | None, stop: int | None, step: int | None) -> bool:
    return start is not None and start == stop and step in (None, 1)


def _strided_slice(xp: Any, x: Array, *bounds: Array, key: Key) -> Any:
    return x[_index(key, tuple(map(int, bounds)), x.shape)]


@lru_cache(1 << 12)  # the slices of loops that are unrolled
def _index(key: Key, values: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Return NumPy's subscript of an array of this shape."""
    index: list[Any] = []
    axis = 0
    for item in _expand_ellipsis(key, len(shape)):
        if item[0] == "newaxis":
            index.append(None)
            continue
        parts = [_resolve(part, values) for part in item[1:]]
        index.append(_numpy_index(item[0], parts, shape[axis], axis))
        axis += 1
    index.append(Ellipsis)  # keeps a single element an array
    return tuple(index)


def _stacked_strided_slice(x: Array, *bounds: Array, key: Key) -> Any:
    every_core = ("slice", None, None, None)
    return _strided_slice(np, x, *bounds, key=(every_core, *key))


def _numpy_index(kind: str, parts: Sequence[Any], size: int, axis: int) -> Any:
    if kind == "index":
        _check_index(parts[0], size, axis)
        return parts[0]
    _slice_size(parts, size)
    return slice(*parts)


# -- slices with computed bounds ---------------------------------------------------


def _infer_slice(x: Operand, begin: Operand, size: Operand) -> TensorSpec:
    for operand in (begin, size):
        if not operand.shape.is_compatible_with([x.shape.rank]):
            raise ValueError(
                "begin and size: expected one number for each axis, got "
                f"{describe_all(x, begin, size)}"
            )
    require_kind(begin, INDEX)
    require_same_dtype(begin, size)
    rank = begin.shape.merge_with(size.shape).merge_with([x.shape.rank]).as_tuple()[0]
    if rank is None or size.value is None:
        return TensorSpec(unknown_shape(rank), x.dtype)
    shape = x.shape.with_rank(rank).as_tuple()
    starts = [None] * rank if begin.value is None else begin.value.tolist()
    limits = zip(shape, starts, size.value.tolist(), strict=True)
    return TensorSpec([_slice_length(*limit) for limit in limits], x.dtype)


def _slice_length(size: int | None, begin: int | None, wanted: int) -> int | None:
    """Return the number of rows that a slice takes; -1 takes all that remain."""
    if wanted < -1 or (begin is not None and begin < 0):
        raise ValueError(
            f"begin {begin} and size {wanted}: expected numbers of 0 or more, or size "
            "-1 for all that remain"
        )
    if size is None or begin is None:
        return None if wanted == -1 else wanted
    if begin + max(wanted, 0) > size:
        raise ValueError(
            f"begin {begin} and size {wanted} lead beyond the size {size} of the axis"
        )
    return size - begin if wanted == -1 else wanted


def _slice(xp: Any, x: Array, begin: Array, size: Array) -> Any:
    starts = begin.tolist()
    limits = zip(x.shape, starts, size.tolist(), strict=True)
    taken = [_slice_length(*limit) or 0 for limit in limits]
    parts: list[Any] = list(map(slice, starts, map(operator.add, starts, taken)))
    parts.append(Ellipsis)  # keeps a single element an array
    return x[tuple(parts)]


# -- gather ------------------------------------------------------------------------


def _infer_gather(
    params: Operand, indices: Operand, *, axis: int, batch_dims: int
) -> TensorSpec:
    require_kind(indices, INDEX)
    if params.shape.rank is None or indices.shape.rank is None:
        return TensorSpec(None, params.dtype)
    axis = normalize_axis(axis, params.shape.rank)
    if not 0 <= batch_dims <= min(axis, indices.shape.rank):
        raise ValueError(
            f"batch_dims {batch_dims}: expected 0 <= batch_dims <= axis {axis} and no "
            f"more than the rank of the indices, got {describe_all(params, indices)}"
        )
    batch = _shared_batch(params, indices, batch_dims)
    before, after = params.shape[batch_dims:axis], params.shape[axis + 1 :]
    rest = indices.shape[batch_dims:]
    shape = batch.concatenate(before).concatenate(rest).concatenate(after)
    return TensorSpec(shape, params.dtype)


def _shared_batch(params: Operand, indices: Operand, batch_dims: int) -> TensorShape:
    """Return the first dimensions, which both have."""
    first, second = params.shape[:batch_dims], indices.shape[:batch_dims]
    if not first.is_compatible_with(second):
        raise ValueError(
            f"the first {batch_dims} dimensions of params and indices differ: "
            f"{describe_all(params, indices)}"
        )
    return first.merge_with(second)


def _gather(params: Array, indices: Array, *, axis: int, batch_dims: int) -> Array:
    axis = normalize_axis(axis, params.ndim)
    _check_range(indices, 0, params.shape[axis], axis)
    if batch_dims == 0:
        return np.take(params, indices, axis)
    check_batch(params, indices, batch_dims)
    batch = np.ogrid[tuple(slice(n) for n in indices.shape)][:batch_dims]
    positions = (*batch, indices)
    rows = np.moveaxis(params, axis, batch_dims)[positions]
    own = range(batch_dims, indices.ndim)
    return np.moveaxis(rows, own, [k + axis - batch_dims for k in own])


def check_batch(params: Array, indices: Array, batch_dims: int) -> None:
    """Raise ValueError unless both have the same batch dimensions."""
    if params.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise ValueError(
            f"the first {batch_dims} dimensions of params and indices differ"
        )


def _check_range(indices: Array, low: int, size: int, axis: int) -> None:
    """Raise InvalidArgumentError unless low <= index < size for all."""
    if indices.size and (indices.min() < low or indices.max() >= size):
        position = np.argwhere((indices < low) | (indices >= size))[0].tolist()
        raise InvalidArgumentError(
            f"indices{position} is {indices[tuple(position)]}, out of range for axis "
            f"{axis} of size {size}; expected {low} <= index < {size}",
            code=codes.INDEX_OUT_OF_RANGE,
        )


def _infer_take_along_axis(x: Operand, indices: Operand, *, axis: int) -> TensorSpec:
    require_kind(indices, INDEX)
    if x.shape.rank is None or indices.shape.rank is None:
        return TensorSpec(unknown_shape(x.shape.rank or indices.shape.rank), x.dtype)
    if x.shape.rank != indices.shape.rank:
        raise ValueError(f"expected equal ranks, got {describe_all(x, indices)}")
    axis = normalize_axis(axis, x.shape.rank)
    own = list(x.shape.as_tuple())
    wanted = list(indices.shape.as_tuple())
    length, own[axis], wanted[axis] = wanted[axis], 1, 1
    sizes = list(
        broadcast_shape(
            Operand(TensorShape(own), x.dtype), Operand(TensorShape(wanted), x.dtype)
        ).as_tuple()
    )
    sizes[axis] = length
    return TensorSpec(sizes, x.dtype)


def _take_along_axis(x: Array, indices: Array, *, axis: int) -> Array:
    size = x.shape[axis]
    _check_range(indices, -size, size, axis)
    return np.take_along_axis(x, indices.astype(np.int64), axis)


# -- gather and scatter by whole positions -----------------------------------------
#
# The last axis of `indices` holds positions: d numbers that name an element, or a part
# with the remaining axes, of an array of rank d or more.


def _infer_gather_nd(
    params: Operand, indices: Operand, *, batch_dims: int
) -> TensorSpec:
    require_kind(indices, INDEX)
    if batch_dims < 0:
        raise ValueError(f"batch_dims: expected 0 or more, got {batch_dims}")
    require_rank_at_least(params, batch_dims)
    require_rank_at_least(indices, batch_dims + 1)
    _shared_batch(params, indices, batch_dims)
    outer, part = _positions(indices, params.shape[batch_dims:])
    return TensorSpec(outer.concatenate(part), params.dtype)


def _positions(indices: Operand, shape: TensorShape) -> tuple[TensorShape, TensorShape]:
    """Return the shape of the positions, and that of the part each one names."""
    require_rank_at_least(indices, 1)
    if indices.shape.rank is None:
        return unknown_shape(), unknown_shape()
    outer, depth = indices.shape[:-1], indices.shape.as_tuple()[-1]
    if depth is None or shape.rank is None:
        return outer, unknown_shape()
    if depth > shape.rank:
        raise ValueError(
            f"indices: positions of {depth} numbers in a shape of rank {shape.rank}: "
            f"{indices.describe()} and {shape}"
        )
    return outer, shape[depth:]


def _rows(indices: Array, shape: Sequence[int]) -> tuple[Array, tuple[int, ...]]:
    """Return the row numbers of the positions, and the shape [rows, part]."""
    depth = indices.shape[-1]
    rows = np.zeros(indices.shape[:-1], np.int64)
    for axis in range(depth):
        _check_range(indices[..., axis], 0, shape[axis], axis)
        rows *= shape[axis]
        rows += indices[..., axis]
    return rows, (math.prod(shape[:depth]), *shape[depth:])


def _gather_nd(params: Array, indices: Array, *, batch_dims: int) -> Any:
    check_batch(params, indices, batch_dims)
    batch = params.shape[:batch_dims]
    rows, (count, *part) = _rows(indices, params.shape[batch_dims:])
    elements = np.arange(math.prod(batch)) * count
    rows = rows + elements.reshape([*batch, *[1] * (rows.ndim - batch_dims)])
    return np.take(params.reshape(math.prod(batch) * count, *part), rows, 0)


def _infer_scatter_nd(indices: Operand, updates: Operand, shape: Operand) -> TensorSpec:
    wanted = shape_held_by(shape)
    require_kind(updates, NUMERIC_OR_BOOL)
    _check_updates(indices, updates, wanted)
    return TensorSpec(wanted, updates.dtype)


def _check_updates(indices: Operand, updates: Operand, shape: TensorShape) -> None:
    require_kind(indices, INDEX)
    outer, part = _positions(indices, shape)
    expected = outer.concatenate(part)
    if not updates.shape.is_compatible_with(expected):
        raise ValueError(
            f"updates: expected shape {expected} for {indices.describe()} in shape "
            f"{shape}, got {updates.describe()}"
        )


def _scatter_nd(
    indices: Array, updates: Array, shape: Array, *, out: Array | None = None
) -> Array:
    sizes, dtype = sizes_in(shape), widened(updates[:0]).dtype
    if out is not None and (out.shape, out.dtype) == (sizes, dtype):
        total = out
        total[...] = 0
    else:
        total = np.zeros(sizes, dtype)
    _add_at(total, indices, updates)
    return total.astype(updates.dtype, copy=False)


def _check_fit(updates: Array, shape: tuple[int, ...]) -> None:
    if updates.shape != shape:
        raise ValueError(f"updates: expected shape {shape}")


def _scatter_sum(target: Array, indices: Array, updates: Array) -> Array:
    """Return `target` with the updates added, 16-bit numbers in float32."""
    total = np.array(widened(target), order="C")
    _add_at(total, indices, updates)
    return total.astype(target.dtype, copy=False)


def _add_at(total: Array, indices: Array, updates: Array) -> None:
    """Add the updates to `total`, in their order."""
    rows, flat = _rows(indices, total.shape)
    _check_fit(updates, (*rows.shape, *flat[1:]))
    shape = rows.size, math.prod(flat[1:])
    parts, rows = total.reshape(flat[0], shape[1]), rows.reshape(-1)
    wide = updates.astype(total.dtype, copy=False).reshape(shape)
    if total.dtype in FLOATS:
        sums.at_rows(parts, rows, np.require(wide, requirements=("C", "A")))
    else:
        np.add.at(parts, rows, wide)


def _infer_scatter_into(
    tensor: Operand, indices: Operand, updates: Operand
) -> TensorSpec:
    dtype = require_same_dtype(tensor, updates)
    _check_updates(indices, updates, tensor.shape)
    return TensorSpec(tensor.shape, dtype)


def _infer_scatter_sum(
    tensor: Operand, indices: Operand, updates: Operand
) -> TensorSpec:
    require_kind(tensor, NUMERIC)
    return _infer_scatter_into(tensor, indices, updates)


def _scatter_update(tensor: Array, indices: Array, updates: Array) -> Any:
    result = tensor.copy()
    rows, flat = _rows(indices, tensor.shape)
    _check_fit(updates, (*rows.shape, *flat[1:]))
    result.reshape(flat)[rows] = updates
    return result


def _scatter_max(tensor: Array, indices: Array, updates: Array) -> Array:
    return _scatter_extreme(np.maximum, tensor, indices, updates)


def _scatter_min(tensor: Array, indices: Array, updates: Array) -> Array:
    return _scatter_extreme(np.minimum, tensor, indices, updates)


def _scatter_extreme(
    chosen: np.ufunc, tensor: Array, indices: Array, updates: Array
) -> Array:
    result: Array = tensor.copy()
    rows, flat = _rows(indices, tensor.shape)
    _check_fit(updates, (*rows.shape, *flat[1:]))
    chosen.at(result.reshape(flat), rows, updates)
    return result


def _scatter_sub(tensor: Array, indices: Array, updates: Array) -> Array:
    return _scatter_sum(tensor, indices, np.negative(updates))


_op = partial(OpDef, gradient="indexing", xla="indexing")

OPERATIONS: tuple[OpDef, ...] = (
    _op(
        "StridedSlice",
        infer=_infer_strided_slice,
        meaning=_strided_slice,
        batching=Batching(stacked=_stacked_strided_slice, moves=True),
    ),
    _op("Slice", infer=_infer_slice, meaning=_slice),
    _op("GatherV2", infer=_infer_gather, compute=ieee(_gather)),
    _op("TakeAlongAxis", infer=_infer_take_along_axis, compute=ieee(_take_along_axis)),
    _op("GatherNd", infer=_infer_gather_nd, compute=ieee(_gather_nd)),
    _op("ScatterNd", infer=_infer_scatter_nd, compute=ieee(_scatter_nd)),
    _op(
        "TensorScatterUpdate", infer=_infer_scatter_into, compute=ieee(_scatter_update)
    ),
    _op("TensorScatterAdd", infer=_infer_scatter_sum, compute=ieee(_scatter_sum)),
    _op("TensorScatterSub", infer=_infer_scatter_sum, compute=ieee(_scatter_sub)),
    _op("TensorScatterMax", infer=_infer_scatter_sum, compute=ieee(_scatter_max)),
    _op("TensorScatterMin", infer=_infer_scatter_sum, compute=ieee(_scatter_min)),
)
