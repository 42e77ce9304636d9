"""Reductions of the rows of each segment, and the bits of numbers as another dtype."""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import INDEX, NUMERIC, require_kind
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee

_REDUCTIONS: dict[str, Any] = {
    "max": np.maximum,
    "min": np.minimum,
    "prod": np.multiply,
    "sum": np.add,
}


def _infer_segments(
    data: Operand, ids: Operand, num_segments: Operand, *, reduction: str
) -> TensorSpec:
    require_kind(data, NUMERIC)
    require_kind(ids, INDEX)
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"reduction: expected {sorted(_REDUCTIONS)}, got {reduction!r}"
        )
    if data.shape.rank is None or ids.shape.rank is None:
        return TensorSpec(unknown_shape(), data.dtype)
    if not data.shape[: ids.shape.rank].is_compatible_with(ids.shape):
        raise ValueError(
            f"the segments {ids.describe()} are not a prefix of {data.describe()}"
        )
    count = None if num_segments.value is None else int(num_segments.value)
    return TensorSpec([count, *data.shape.as_tuple()[ids.shape.rank :]], data.dtype)


def _segments(data: Array, ids: Array, num_segments: Array, *, reduction: str) -> Array:
    """Reduce the rows with the same id; segments without a row have the identity."""
    count = int(num_segments)
    rows = data.reshape(ids.size, *data.shape[ids.ndim :])
    flat = ids.reshape(-1)
    if (flat >= count).any():
        raise ValueError(f"expected segments below {count}, got {int(flat.max())}")
    dtype = as_dtype(data.dtype)
    identity = {"max": dtype.min, "min": dtype.max, "prod": 1, "sum": 0}[reduction]
    total = np.full((count, *rows.shape[1:]), identity, data.dtype)
    known = flat >= 0
    _REDUCTIONS[reduction].at(total, flat[known], rows[known])
    return total


def _infer_bitcast(x: Operand, *, dtype: str) -> TensorSpec:
    own, wanted = x.dtype.np.itemsize, as_dtype(dtype).np.itemsize
    sizes = x.shape
    if sizes.rank is None:
        return TensorSpec(unknown_shape(), dtype)
    if own > wanted:
        return TensorSpec(sizes.concatenate([own // wanted]), dtype)
    if own < wanted:
        if sizes.rank == 0 or sizes.as_tuple()[-1] not in (None, wanted // own):
            raise ValueError(
                f"{x.describe()}: expected a last axis of {wanted // own} for {dtype}"
            )
        return TensorSpec(TensorShape(sizes.as_tuple()[:-1]), dtype)
    return TensorSpec(sizes, dtype)


def _bitcast(x: Array, *, dtype: str) -> Array:
    target = as_dtype(dtype).np
    whole = np.ascontiguousarray(x)
    if whole.itemsize > target.itemsize:
        viewed = np.ascontiguousarray(whole[..., None]).view(target)
        return viewed.reshape(*x.shape, whole.itemsize // target.itemsize)
    viewed = whole.view(target)
    wider = whole.itemsize < target.itemsize
    merged: Array = viewed[..., 0] if wider else viewed.reshape(x.shape)
    return merged


_op = partial(OpDef, gradient="effects")

OPERATIONS: tuple[OpDef, ...] = (
    OpDef(
        "UnsortedSegment",
        infer=_infer_segments,
        compute=ieee(_segments),
        xla="segments",
    ),
    _op("Bitcast", infer=_infer_bitcast, compute=ieee(_bitcast), xla="segments"),
)
