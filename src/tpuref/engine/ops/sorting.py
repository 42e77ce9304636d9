"""Operations that sort, or search in sorted arrays."""

import math
from functools import partial
from typing import Any, Literal

import numpy as np

from tpuref.base.dtypes import bool_, float32, int32
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import require_index_scalar

_SIDES: dict[str, Literal["left", "right"]] = {"left": "left", "right": "right"}

# -- whole orders ------------------------------------------------------------------


def _infer_sort(values: Operand, *, axis: int, descending: bool) -> TensorSpec:
    if values.shape.rank is not None:
        broadcasting.normalize_axis(axis, values.shape.rank)
    return broadcasting.same_shape(values, broadcasting.REAL)


def _infer_arg_sort(values: Operand, *, axis: int, descending: bool) -> TensorSpec:
    return TensorSpec(
        _infer_sort(values, axis=axis, descending=descending).shape, int32
    )


def _order(values: Array, axis: int, descending: bool) -> Any:
    """Return the indices that sort along `axis`; the sort is stable."""
    wide = widened(values)
    if not descending:
        return np.argsort(wide, axis, kind="stable")
    backwards = np.argsort(np.flip(wide, axis), axis, kind="stable")
    return values.shape[axis] - 1 - np.flip(backwards, axis)


def _sort(values: Array, *, axis: int, descending: bool) -> Array:
    return np.take_along_axis(values, _order(values, axis, descending), axis)


def _arg_sort(values: Array, *, axis: int, descending: bool) -> Any:
    return _order(values, axis, descending).astype(np.int32)


# -- the greatest ------------------------------------------------------------------


def _infer_top_k(values: Operand, k: Operand) -> tuple[TensorSpec, TensorSpec]:
    broadcasting.require_kind(values, broadcasting.REAL)
    shape = broadcasting.require_rank_at_least(values, 1)
    count = require_index_scalar(k)
    if shape.rank is None:
        return TensorSpec(None, values.dtype), TensorSpec(None, int32)
    if count is not None:
        _check_k(count, shape.as_tuple()[-1])
    shape = shape[:-1].concatenate([count])
    return TensorSpec(shape, values.dtype), TensorSpec(shape, int32)


def _check_k(k: int, size: int | None) -> None:
    if k < 0 or (size is not None and k > size):
        raise ValueError(
            f"k is {k}; expected 0 or more, and no more than the size {size} of the "
            "last axis"
        )


def _top_k(values: Array, k: Array) -> tuple[Array, Array]:
    _check_k(int(k), values.shape[-1])
    indices = _order(values, -1, True)[..., : int(k)]
    return np.take_along_axis(values, indices, -1), indices.astype(np.int32)


def _infer_in_top_k(predictions: Operand, targets: Operand, k: Operand) -> TensorSpec:
    if predictions.dtype != float32:
        raise TypeError(f"predictions: expected float32, got {predictions.describe()}")
    broadcasting.require_kind(targets, broadcasting.INDEX)
    require_index_scalar(k)
    rows = broadcasting.require_rank(predictions, 2)[:1]
    if not rows.is_compatible_with(broadcasting.require_rank(targets, 1)):
        raise ValueError(
            "expected one target for each row of predictions, got "
            f"{broadcasting.describe_all(predictions, targets)}"
        )
    return TensorSpec(rows.merge_with(targets.shape), bool_)


def _in_top_k(predictions: Array, targets: Array, k: Array) -> Any:
    """Test the targets; invalid classes, and rows with NaN or infinity, fail."""
    if len(predictions) != len(targets):
        raise ValueError("expected one target for each row of predictions")
    valid = (targets >= 0) & (targets < predictions.shape[1])
    safe = np.where(valid, targets, 0)
    target = np.take_along_axis(predictions, safe[:, None].astype(np.int64), 1)
    finite = np.all(np.isfinite(predictions), 1)
    return valid & finite & (np.sum(predictions > target, 1) < k)


# -- distinct values ---------------------------------------------------------------


def _infer_unique(x: Operand) -> tuple[TensorSpec, TensorSpec]:
    broadcasting.require_kind(x, broadcasting.REAL_OR_TEXT)
    shape = broadcasting.require_rank(x, 1)
    return TensorSpec([None], x.dtype), TensorSpec(shape, int32)


def _unique(x: Array) -> tuple[Array, Array]:
    """Return the distinct values in the order in which they first occur."""
    _, first, places = np.unique(widened(x), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return x[first[order]], rank[places.reshape(-1)]


# -- places in an order ------------------------------------------------------------


def _infer_search(
    ordered: Operand, values: Operand, *, side: str, out_type: str
) -> TensorSpec:
    broadcasting.require_same_dtype(ordered, values)
    broadcasting.require_kind(ordered, broadcasting.REAL)
    outer = broadcasting.require_rank_at_least(ordered, 1)[:-1]
    shape = broadcasting.require_rank_at_least(values, 1)
    if shape.rank is None or ordered.shape.rank is None:
        return TensorSpec(shape, out_type)
    if not outer.is_compatible_with(shape[:-1]):
        raise ValueError(
            "expected equal shapes except along the last axis, got "
            f"{broadcasting.describe_all(ordered, values)}"
        )
    return TensorSpec(shape, out_type)


def _search(ordered: Array, values: Array, *, side: str, out_type: str) -> Any:
    if ordered.shape[:-1] != values.shape[:-1]:
        raise ValueError("expected equal shapes except along the last axis")
    outer = math.prod(values.shape[:-1])
    rows = widened(ordered).reshape(outer, ordered.shape[-1])
    wanted = widened(values).reshape(outer, values.shape[-1])
    places = np.empty(wanted.shape, out_type)
    for k in range(outer):
        places[k] = np.searchsorted(rows[k], wanted[k], _SIDES[side])
    return places.reshape(values.shape)


_op = partial(OpDef, gradient="indexing")

OPERATIONS: tuple[OpDef, ...] = (
    _op("Sort", infer=_infer_sort, compute=ieee(_sort), xla="sorting"),
    _op("ArgSort", infer=_infer_arg_sort, compute=ieee(_arg_sort), xla="sorting"),
    _op("TopKV2", infer=_infer_top_k, compute=ieee(_top_k), xla="sorting"),
    _op("InTopKV2", infer=_infer_in_top_k, compute=ieee(_in_top_k), xla="sorting"),
    _op("Unique", infer=_infer_unique, compute=ieee(_unique)),
    _op("SearchSorted", infer=_infer_search, compute=ieee(_search), xla="sorting"),
)
